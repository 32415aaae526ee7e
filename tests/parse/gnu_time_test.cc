#include "services/parse/gnu_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parse/benchmark_builder.h"

namespace regressd::parse {
namespace {

using ::testing::ElementsAre;
using testing::FeedAll;
using ::testing::HasSubstr;
using testing::Parse;
using testing::ValuesOf;

// Layout of -v of GNU time 1.9 (Debian 12); figures ours, so that no two are equal.
constexpr std::string_view kVerbose =
    "\tCommand being timed: \"dd if=/dev/zero of=f: bs=1M\"\n"
    "\tUser time (seconds): 1.25\n"
    "\tSystem time (seconds): 0.19\n"
    "\tPercent of CPU this job got: 31%\n"
    "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03\n"
    "\tAverage shared text size (kbytes): 0\n"
    "\tMaximum resident set size (kbytes): 3108\n"
    "\tMajor (requiring I/O) page faults: 4\n"
    "\tMinor (reclaiming a frame) page faults: 345\n"
    "\tVoluntary context switches: 56\n"
    "\tInvoluntary context switches: 78\n"
    "\tSwaps: 0\n"
    "\tFile system inputs: 120\n"
    "\tFile system outputs: 409600\n"
    "\tPage size (bytes): 4096\n"
    "\tExit status: 0\n";

TEST(GnuTimeTest, ReadsTheVerboseFormat) {
  const BenchmarkResults results = Parse<GnuTimeParser>(kVerbose);
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_THAT(values.at("time.user_time"), ElementsAre(1.25));
  EXPECT_THAT(values.at("time.system_time"), ElementsAre(0.19));
  EXPECT_THAT(values.at("time.elapsed_time"), ElementsAre(3723));
  EXPECT_THAT(values.at("time.percent_of_cpu_this_job_got"), ElementsAre(31));
  EXPECT_THAT(values.at("time.maximum_resident_set_size"), ElementsAre(3108));
  EXPECT_THAT(values.at("time.major_page_faults"), ElementsAre(4));
  EXPECT_THAT(values.at("time.minor_page_faults"), ElementsAre(345));
  EXPECT_THAT(values.at("time.voluntary_context_switches"), ElementsAre(56));
  EXPECT_THAT(values.at("time.involuntary_context_switches"), ElementsAre(78));
  EXPECT_THAT(values.at("time.file_system_inputs"), ElementsAre(120));
  EXPECT_THAT(values.at("time.file_system_outputs"), ElementsAre(409600));
  EXPECT_FALSE(values.contains("time.page_size"));
}

TEST(GnuTimeTest, ReadsTheDefaultFormatOfEachCommand) {
  // Layout of GNU time 1.9; the first behind a line without an end, so that its user
  // time cannot be told from what stood there.
  const auto values =
      ValuesOf(Parse<GnuTimeParser>("job.4399.02user 10763.39system 2:51.37elapsed 8847%CPU "
                                    "(0avgtext+0avgdata 1234maxresident)k\n"
                                    "8inputs+16outputs (2major+69minor)pagefaults 1swaps\n"
                                    "done\n"
                                    "0.00user 0.00system 0:00.00elapsed ?%CPU (0avgtext+0avgdata "
                                    "968maxresident)k\n"));
  EXPECT_THAT(values.at("time.user_time"), ElementsAre(0));
  EXPECT_THAT(values.at("time.system_time"), ElementsAre(10763.39, 0));
  EXPECT_THAT(values.at("time.elapsed_time"), ElementsAre(171.37, 0));
  EXPECT_THAT(values.at("time.percent_of_cpu_this_job_got"), ElementsAre(8847)) << "no 0 for ?";
  EXPECT_THAT(values.at("time.maximum_resident_set_size"), ElementsAre(1234, 968));
  EXPECT_THAT(values.at("time.minor_page_faults"), ElementsAre(69));
  EXPECT_THAT(values.at("time.file_system_outputs"), ElementsAre(16));
  EXPECT_THAT(values.at("time.swaps"), ElementsAre(1));
}

TEST(GnuTimeTest, ReadsThePortableFormatAndThatOfBash) {
  const auto values =
      ValuesOf(Parse<GnuTimeParser>("real 171.37\nuser 4399.02\nsys 10763.39\n"
                                    "real 5\nis no time\n"
                                    "\nreal\t2m51.370s\nuser\t73m19.020s\nsys\t0m0.008s\n"));
  EXPECT_THAT(values.at("time.elapsed_time"), ElementsAre(171.37, 171.37));
  ASSERT_EQ(values.at("time.user_time").size(), 2u);
  EXPECT_NEAR(values.at("time.user_time")[1], 4399.02, 1e-9);
  EXPECT_THAT(values.at("time.system_time"), ElementsAre(10763.39, 0.008));
}

TEST(GnuTimeTest, AFailedCommandFails) {
  EXPECT_THAT(Parse<GnuTimeParser>("Command exited with non-zero status 3\n"
                                   "0.00user 0.00system 0:00.00elapsed 33%CPU\n")
                  .failure,
              HasSubstr("stdout line 1: the timed command failed"));
  EXPECT_THAT(Parse<GnuTimeParser>("Command terminated by signal 9\n").failure,
              HasSubstr("signal 9"));
}

TEST(GnuTimeTest, AReportThatBreaksOffFails) {
  EXPECT_EQ(Parse<GnuTimeParser>(kVerbose.substr(0, kVerbose.find("\tSwaps"))).failure,
            "the report of GNU time that begins at stdout line 1 breaks off");
  EXPECT_THAT(Parse<GnuTimeParser>("Command being timed: \"x\"\n"
                                   "User time (seconds): fast\nExit status: 0\n")
                  .failure,
              HasSubstr("has no number"));
}

TEST(GnuTimeTest, LinesOfTheOtherOutputBetweenItsOwnDoNotDisturb) {
  GnuTimeParser parser;
  parser.Feed({.input = "stderr", .number = 1, .text = "real 1.5"});
  parser.Feed({.input = "stdout", .number = 1, .text = "a line of the program"});
  parser.Feed({.input = "stderr", .number = 2, .text = "user 1.25"});
  parser.Feed({.input = "stderr", .number = 3, .text = "sys 0.25"});
  EXPECT_THAT(ValuesOf(parser.Finish()).at("time.system_time"), ElementsAre(0.25));
}

TEST(GnuTimeTest, ReadsClocks) {
  EXPECT_EQ(ParseClock("1:02:03"), 3723);
  EXPECT_EQ(ParseClock("0:00.25"), 0.25);
  EXPECT_EQ(ParseClock("12.5"), 12.5);
  EXPECT_EQ(ParseClock("1m2.5s"), 62.5);
  EXPECT_FALSE(ParseClock("1:-2").has_value());
  EXPECT_FALSE(ParseClock("").has_value());
  EXPECT_FALSE(ParseClock("1:2:3:4").has_value());
}

}  // namespace
}  // namespace regressd::parse
