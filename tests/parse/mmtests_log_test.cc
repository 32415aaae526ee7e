#include "services/parse/mmtests_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/benchmark_builder.h"

namespace regressd::parse {
namespace {

using ::testing::ElementsAre;
using testing::FeedAll;
using ::testing::HasSubstr;
using testing::ValuesOf;

BenchmarkResults ParseFiles(
    const std::vector<std::pair<std::string_view, std::string_view>>& files) {
  MmtestsParser parser;
  for (const auto& [path, text] : files) {
    parser.BeginFile(path);
    FeedAll(path, text, &parser);
  }
  return parser.Finish();
}

TEST(MmtestsLogTest, ALineOfTruncateLogIsOneUnlink) {
  const BenchmarkResults results =
      ParseFiles({{"iter-0/sparsetruncate/logs/truncate.log", "334\n349\n334\n"},
                  {"iter-0/sparsetruncate/logs/time", "0.01user 1.50system 0:02.00elapsed\n"},
                  {"iter-1/sparsetruncate/logs/truncate.log", "415\n"}});
  EXPECT_EQ(results.failure, "");
  ASSERT_EQ(results.observations.size(), 1u);
  EXPECT_EQ(results.observations[0].name, "Time");
  EXPECT_EQ(results.observations[0].unit, "us");
  EXPECT_EQ(results.observations[0].better, model::Better::kLower);
  EXPECT_THAT(results.observations[0].values, ElementsAre(334, 349, 334, 415));
  EXPECT_TRUE(results.results.empty());
}

TEST(MmtestsLogTest, KernbenchHasThreeTimesAJobCount) {
  // The first two builds of the case "05-kernbench-10iters" of the mmtests golden vectors, in the
  // layout of GNU time behind make's own messages.
  const BenchmarkResults results =
      ParseFiles({{"logs/kernbench-96-1.time",
                   "arch/x86/tool.c: warning: unused\n"
                   "4399.02user 10763.39system 2:51.37elapsed 8847%CPU (0avgtext+0avgdata "
                   "0maxresident)k\n"
                   "0inputs+0outputs (0major+1minor)pagefaults 0swaps\n"},
                  {"logs/kernbench-96-2.time",
                   "4410.49user 10731.93system 2:51.23elapsed 8844%CPU (0avgtext+0avgdata "
                   "0maxresident)k\n"
                   "0inputs+0outputs (0major+1minor)pagefaults 0swaps\n"}});
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_THAT(values.at("user-96"), ElementsAre(4399.02, 4410.49));
  EXPECT_THAT(values.at("syst-96"), ElementsAre(10763.39, 10731.93));
  EXPECT_THAT(values.at("elsp-96"), ElementsAre(171.37, 171.23));
  EXPECT_EQ(results.results[0].name, "user-96") << "mmtests' order";
  EXPECT_EQ(results.results[0].better, model::Better::kLower);
}

TEST(MmtestsLogTest, UsememHasSystemAndElapsedTime) {
  // Golden case "18-usemem-syst-elsp", first sample of 12 threads.
  const auto values = ValuesOf(
      ParseFiles({{"usemem-12-1", "3.10user 83.71system 0:42.53elapsed 204%CPU (0avgtext)k\n"}}));
  EXPECT_THAT(values.at("syst-12"), ElementsAre(83.71));
  EXPECT_THAT(values.at("elsp-12"), ElementsAre(42.53));
  EXPECT_EQ(values.size(), 2u);
}

TEST(MmtestsLogTest, WillItScaleHasASampleASecond) {
  // Golden case "03-wis-pf-4kernels": the first two samples of 4 tasks. mmtests cuts the first
  // eight lines off, so its log begins with "measurement".
  const auto cut = ValuesOf(ParseFiles({{"wis-page_fault1-processes-4.log",
                                         "measurement\nmin:95000 max:96000 total:383257\n"
                                         "min:96000 max:97000 total:387341\naverage:385299\n"}}));
  EXPECT_THAT(cut.at("page_fault1-processes-4"), ElementsAre(383257, 387341));
  const auto whole = ValuesOf(ParseFiles({{"wis-page_fault1-processes-4.log",
                                           "testcase:x\nwarmup\nmin:1 max:1 total:1\nmeasurement\n"
                                           "min:95000 max:96000 total:383257\n"}}));
  EXPECT_THAT(whole.at("page_fault1-processes-4"), ElementsAre(383257));
}

TEST(MmtestsLogTest, AFileWithoutItsResultFails) {
  EXPECT_EQ(ParseFiles({{"kernbench-8-1.time", "make: *** No rule\n"}}).failure,
            "kernbench-8-1.time: no result of kernbench in it");
  EXPECT_EQ(ParseFiles({{"a/truncate.log", "5\n"}, {"b/truncate.log", ""}}).failure,
            "b/truncate.log: no result of sparsetruncate in it");
  EXPECT_THAT(ParseFiles({{"truncate.log", "5\nunlink: No space left on device\n"}}).failure,
              HasSubstr("truncate.log line 2: \"unlink: No space left on device\" is no whole"));
  EXPECT_THAT(ParseFiles({{"kernbench-8-1.time",
                           "Command exited with non-zero status 2\n"
                           "1.00user 1.00system 0:02.00elapsed 99%CPU\n"}})
                  .failure,
              HasSubstr("kernbench-8-1.time line 1: the timed command failed"));
}

TEST(MmtestsLogTest, LogsOfTwoBenchmarksFail) {
  EXPECT_EQ(ParseFiles({{"kernbench-8-1.time", "1.00user 1.00system 0:02.00elapsed 99%CPU\n"},
                        {"truncate.log", "5\n"}})
                .failure,
            "kernbench-8-1.time is of kernbench and truncate.log of sparsetruncate; give the logs "
            "of one benchmark");
}

TEST(MmtestsLogTest, KnowsItsFilesByTheirNames) {
  for (const char* path : {"logs/truncate.log", "kernbench-8-10.time", "usemem-4-1",
                           "x/wis-page_fault1-threads-16.log"}) {
    EXPECT_TRUE(MmtestsParser::Reads(path)) << path;
  }
  for (const char* path :
       {"tests-timestamp", "kernbench-8.time", "kernbench-x-1.time", "usemem-4", "wis-.log",
        "wis-page_fault1.log", "workloads", "", "kernbench-.time", "kernbench-8-1.time.old"}) {
    EXPECT_FALSE(MmtestsParser::Reads(path)) << path;
  }
}

}  // namespace
}  // namespace regressd::parse
