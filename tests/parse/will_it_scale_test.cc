#include "services/parse/will_it_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/parse/benchmark_builder.h"

namespace regressd::parse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Parse;
using testing::ValuesOf;

constexpr std::string_view kHeader =
    "tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0\n";

BenchmarkResults ParseTable(std::string_view rows) {
  return Parse<WillItScaleParser>(std::string(kHeader).append(rows));
}

TEST(WillItScaleTest, ReadsATableOfProcessesAsLkpDoes) {
  // Input and figures of LKP's own example spec/stats/will-it-scale/1 (lkp-tests), whose zeros of
  // the threads that did not run are no results here. LKP cuts decimals off.
  const BenchmarkResults results = Parse<WillItScaleParser>(
      "2020-01-31 08:12:43 python2 ./runtest.py mmap2 295 process 104\n"
      "tasks,processes,processes_idle,threads,threads_idle,linear\n"
      "0,0,100,0,100,0\n"
      "104,1200363,0.04,0,0.00,0\n");
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_THAT(values.at("104.processes"), ElementsAre(1200363));
  EXPECT_THAT(values.at("104.processes_idle"), ElementsAre(0.04));
  EXPECT_EQ(std::floor(values.at("per_process_ops")[0]), 11541);
  EXPECT_THAT(values.at("workload"), ElementsAre(1200363));
  EXPECT_EQ(values.size(), 4u);
}

TEST(WillItScaleTest, ReadsATableOfSeveralTaskCounts) {
  // runtest.py page_fault1 of a mail to linux-mm on page hinting (2019), rows 1 to 4.
  const BenchmarkResults results = ParseTable(
      "1,459168,95.83,459315,95.83,459315\n"
      "2,956272,91.68,884643,91.72,918630\n"
      "3,1407811,87.53,1267948,87.69,1377945\n"
      "4,1755744,83.39,1562471,83.73,1837260\n");
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_THAT(values.at("4.threads"), ElementsAre(1562471));
  EXPECT_THAT(values.at("3.threads_idle"), ElementsAre(87.69));
  EXPECT_THAT(values.at("2.linear"), ElementsAre(918630));
  // Python 3.11: statistics.mean of ops/tasks in rows 1 to 4; 1755744/1837260; the sum of all.
  EXPECT_NEAR(values.at("per_process_ops")[0], 461377.5833333333, 1e-6);
  EXPECT_NEAR(values.at("per_thread_ops")[0], 428725.8958333333, 1e-6);
  EXPECT_NEAR(values.at("scalability")[0], 0.9556317559844552, 1e-12);
  EXPECT_THAT(values.at("workload"), ElementsAre(8753372));
}

TEST(WillItScaleTest, RepeatedTablesAreFurtherSamples) {
  // Three runs of 256 threads, from a mail on pin_user_pages_fast (2020).
  std::string text;
  for (const std::string_view row :
       {"256,0,0.00,25641,0.17,0\n", "256,0,0.00,25652,0.16,0\n", "256,0,0.00,25559,0.16,0\n"}) {
    text += kHeader;
    text += row;
  }
  const auto values = ValuesOf(Parse<WillItScaleParser>(text));
  EXPECT_THAT(values.at("256.threads"), ElementsAre(25641, 25652, 25559));
  // The mail: "average 25617"; by 256 tasks.
  EXPECT_NEAR(values.at("per_thread_ops")[0] * 256, 25617, 1);
  EXPECT_FALSE(values.contains("per_process_ops"));
}

TEST(WillItScaleTest, ATestThatDiedFails) {
  // runtest.py prints -1 when a test program gave no average, later versions 0.
  EXPECT_THAT(ParseTable("1,459168,95.83,-1,99.10,459168\n").failure,
              HasSubstr("1 tasks as threads ended without a result"));
  EXPECT_THAT(ParseTable("192,0,0.00,0,0.08,0\n").failure,
              HasSubstr("192 tasks as threads ended without a result"));
  EXPECT_THAT(ParseTable("192,0,0.00,0,0.00,0\n").failure,
              HasSubstr("no test of 192 tasks has a result"));
  EXPECT_THAT(Parse<WillItScaleParser>("context_switch1_threads: tests/context_switch1.c:33: "
                                       "child: Assertion `ret == 1' failed.\n")
                  .failure,
              HasSubstr("Assertion"));
}

TEST(WillItScaleTest, ARowThatDoesNotFitItsHeaderFails) {
  EXPECT_THAT(ParseTable("2,956272,91.68,884643,91.72\n").failure,
              HasSubstr("stdout line 3: the row \"2,956272,91.68,884643,91.72\" has 5 fields, the "
                        "header before it 6"));
  EXPECT_THAT(ParseTable("2,95.62.72,91.68,884643,91.72,1\n").failure, HasSubstr("95.62.72"));
}

TEST(WillItScaleTest, ColumnsComeFromTheHeader) {
  const auto values =
      ValuesOf(Parse<WillItScaleParser>("tasks,threads,threads_idle\n2,884643,91.72\n"));
  EXPECT_THAT(values.at("2.threads"), ElementsAre(884643));
  EXPECT_FALSE(values.contains("2.processes"));
}

// The layout of will-it-scale's main.c: six seconds of warm-up, then -s 3.
constexpr std::string_view kProgram =
    "testcase:Anonymous memory page fault\n"
    "warmup\n"
    "min:10 max:20 total:30\n"
    "min:90000 max:91000 total:181000\n"
    "min:90000 max:91000 total:181000\n"
    "min:90000 max:91000 total:181000\n"
    "min:90000 max:91000 total:181000\n"
    "min:90000 max:91000 total:181000\n"
    "measurement\n"
    "min:100000 max:100001 total:200001\n"
    "min:100000 max:100002 total:200002\n"
    "min:100000 max:100005 total:200005\n"
    "average:200002\n";

TEST(WillItScaleTest, ATestProgramsSecondsAfterItsWarmUpCount) {
  const BenchmarkResults results = Parse<WillItScaleParser>(
      kProgram, WillItScaleParser({.count = 2, .model = WillItScaleTasks::Model::kThreads}));
  EXPECT_EQ(results.failure, "");
  const auto values = ValuesOf(results);
  EXPECT_THAT(values.at("2.threads"), ElementsAre(200002));
  EXPECT_THAT(values.at("per_thread_ops"), ElementsAre(100001));
  EXPECT_THAT(values.at("workload"), ElementsAre(200002));
  ASSERT_EQ(results.observations.size(), 1u);
  EXPECT_THAT(results.observations[0].values, ElementsAre(200001, 200002, 200005));
}

TEST(WillItScaleTest, WithoutTheTaskCountOnlyTheTotalIsKnown) {
  const auto values = ValuesOf(Parse<WillItScaleParser>(kProgram));
  EXPECT_THAT(values.at("total_ops"), ElementsAre(200002));
  EXPECT_FALSE(values.contains("per_process_ops"));
}

TEST(WillItScaleTest, ATestProgramThatWasStoppedFails) {
  EXPECT_EQ(Parse<WillItScaleParser>(kProgram.substr(0, kProgram.find("average"))).failure,
            "the test that begins at stdout line 1 has no line \"average:\": it did not end by "
            "itself");
  EXPECT_THAT(Parse<WillItScaleParser>("testcase:x\nwarmup\nmeasurement\naverage:0\n").failure,
              HasSubstr("did nothing"));
}

TEST(WillItScaleTest, TheCommandSaysTaskCountAndModel) {
  using Command = std::vector<std::string>;
  const WillItScaleTasks processes =
      TasksOfCommand(Command{"setarch", "-R", "./page_fault1_processes", "-t", "8", "-s", "5"});
  EXPECT_EQ(processes.count, 8);
  EXPECT_EQ(processes.model, WillItScaleTasks::Model::kProcesses);
  const WillItScaleTasks threads = TasksOfCommand(Command{"/opt/wis/page_fault1_threads", "-t16"});
  EXPECT_EQ(threads.count, 16);
  EXPECT_EQ(threads.model, WillItScaleTasks::Model::kThreads);
  const WillItScaleTasks none = TasksOfCommand(Command{"taskset", "-t", "3", "./run.sh"});
  EXPECT_FALSE(none.count.has_value());
  EXPECT_FALSE(none.model.has_value());
}

}  // namespace
}  // namespace regressd::parse
