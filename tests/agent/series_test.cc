#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "services/agent/expected_kernel.h"
#include "services/agent/job/job_file.h"
#include "services/agent/job_plan.h"
#include "services/agent/noise_table.h"
#include "services/agent/private_directory.h"
#include "services/agent/series.h"
#include "tests/agent/fake_ingest.h"
#include "tests/agent/fake_machine.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FakeIngest;
using testing::FakeMachine;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ExpectedKernelTest, IsAReleaseATagACommitOrADescribe) {
  // Releases as scripts/setlocalversion of Linux makes them.
  EXPECT_TRUE(IsKernel("6.18.0-rc1-custom", "6.18.0-rc1-custom"));
  EXPECT_TRUE(IsKernel("v6.18-rc1", "6.18.0-rc1"));
  EXPECT_TRUE(IsKernel("v6.18.44", "6.18.44"));
  EXPECT_TRUE(IsKernel("6dbaef1ff65e", "6.18.0-rc1-00012-g6dbaef1ff65e"));
  EXPECT_TRUE(
      IsKernel("6dbaef1ff65eb1a3c5d7e9f00112233445566778", "6.18.0-rc1-00012-g6dbaef1ff65e-dirty"));
  EXPECT_TRUE(IsKernel("v6.18-rc1-12-g6dbaef1ff65e", "6.18.0-rc1-00012-g6dbaef1ff65e"));
  EXPECT_FALSE(IsKernel("v6.18", "6.18.0-rc1"));
  EXPECT_FALSE(IsKernel("6.18", "6.18.0"));
  EXPECT_FALSE(IsKernel("6dbaef", "6.18.0-g6dbaef1ff65e")) << "shorter than git abbreviates";
  EXPECT_FALSE(IsKernel("6dbaef2", "6.18.0-g6dbaef1ff65e"));
  EXPECT_FALSE(IsKernel("v6.18-generic", "6.17.0-generic"));
  const absl::Status wrong = CheckKernel("v6.18", "6.12.1");
  ASSERT_TRUE(absl::IsFailedPrecondition(wrong));
  EXPECT_THAT(std::string(wrong.message()),
              StartsWith("kernel v6.18 is expected, and 6.12.1 runs"));
}

SeriesPlan Parsed(std::string_view text) {
  const auto plan = ParseSeriesPlan(text, "plan.toml", "");
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : SeriesPlan{};
}

constexpr const char* kTwoJobs = R"(
[[job]]
label = "a"
testcase = "t"
commit = "v1"
command = ["true"]
[[job]]
label = "b"
testcase = "t"
commit = "v2"
command = ["true"]
)";

TEST(SeriesPlanTest, InterleavesUnlessBlocksAreAskedFor) {
  EXPECT_THAT(Parsed(std::string("rounds = 2\n") + kTwoJobs).steps, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(Parsed(std::string("rounds = 2\norder = \"blocks\"\n") + kTwoJobs).steps,
              ElementsAre(0, 0, 1, 1));
}

TEST(SeriesPlanTest, AJobMayStandInAFileWithKeysOverIt) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  std::ofstream(directory.path() / "job.toml")
      << "testcase = \"t\"\ncommit = \"v1\"\ncommand = [\"x\"]\nruns = 7\n";
  std::ofstream(directory.path() / "plan.toml")
      << "drop_caches = true\n[[job]]\nfile = \"job.toml\"\ncommit = \"v2\"\nkernel = \"6.1.0\"\n";
  const auto plan = ReadSeriesPlan((directory.path() / "plan.toml").string());
  ASSERT_TRUE(plan.ok()) << plan.status();
  const SeriesJob& entry = plan->jobs.front();
  EXPECT_EQ(entry.label, "v2");
  EXPECT_EQ(entry.job.testcase, "t");
  EXPECT_EQ(entry.job.commit, "v2");
  EXPECT_EQ(entry.job.expect_kernel, "6.1.0");
  EXPECT_EQ(entry.job.setup.drop_caches, true);
  EXPECT_EQ(entry.job.runs, std::nullopt) << "rounds say it";
}

TEST(SeriesPlanTest, MistakesAreNamedWithTheirLine) {
  const auto error = [](std::string_view text) {
    return std::string(ParseSeriesPlan(text, "plan.toml", "").status().message());
  };
  EXPECT_EQ(error("round = 2\n"), "plan.toml:1: unknown key round; did you mean rounds?");
  EXPECT_EQ(error("order = \"random\"\n"),
            "plan.toml:1: order must be \"interleaved\" or \"blocks\"");
  EXPECT_EQ(error("rounds = 2\n"), "plan.toml: has no [[job]]");
  EXPECT_EQ(error("[[job]]\nlabel = \"a\"\n"), "plan.toml:1: job has no command");
  EXPECT_EQ(error("[[job]]\ncommand = [\"x\"]\n"), "plan.toml:1: job has no label and no commit");
  EXPECT_EQ(error("[[job]]\ncomand = [\"x\"]\n"),
            "plan.toml:2: unknown key comand; did you mean command?");
  EXPECT_THAT(error("\n[[job]]\nfile = \"/no/such.toml\"\n"), HasSubstr("/no/such.toml"));
  EXPECT_THAT(error(std::string(kTwoJobs) + "[[job]]\nlabel = \"a\"\ncommand = [\"x\"]\n"),
              HasSubstr("label \"a\" is there twice"));
}

TEST(SeriesPlanTest, AaRunsOneJobAsTwo) {
  Job job;
  job.testcase = "t";
  job.command = {"true"};
  const SeriesPlan plan = MakeAaPlan(job, 5);
  EXPECT_THAT(plan.steps, ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(plan.jobs[0].job.axes, ElementsAre(model::Axis{"aa", "A"}));
  EXPECT_THAT(plan.jobs[1].job.axes, ElementsAre(model::Axis{"aa", "A'"}));
}

TEST(NoiseTableTest, HasMeanAndSpreadInPercent) {
  const std::vector<DoneStep> steps = {{"A", "1", 0, {{"t.x", 98}}},
                                       {"A'", "2", 0, {{"t.x", 102}}},
                                       {"A", "3", 0, {{"t.x", 100}}},
                                       {"A'", "4", 9, {{"t.x", 7}}}};
  // Python 3.11: statistics.mean([98, 102, 100]) is 100, stdev is 2; the means of A and A' are 99
  // and 102, and 3 / 99 is 3.03 %.
  EXPECT_EQ(NoiseTable(steps),
            "metric     n            mean     stddev    A to A'\n"
            "t.x        3             100      2.00%     +3.03%\n"
            "failed and left out: 1\n");
}

class SeriesTest : public ::testing::Test {
 protected:
  SeriesTest() : directory_(*PrivateDirectory::Create()) {
    context_.facts.testbox = "box-1";
    context_.facts.boot_id = "boot-1";
    context_.facts.kernel_release = "6.1.0";
    context_.delivery.spool.directory = directory_.path() / "spool";
    context_.delivery.sender.server = fake_.address();
  }

  /// Two jobs that write their label to a log, and print a result.
  SeriesPlan Plan(const std::string& head, const std::string& kernel_of_b = "") {
    std::string text = head;
    for (const std::string label : {"a", "b"}) {
      text += "[[job]]\ntestcase = \"t\"\nmonitors = []\nlabel = \"" + label + "\"\ncommit = \"v-" +
              label + "\"\ncommand = [\"sh\", \"-c\", \"echo " + label + " >>" + log_.string() +
              "; echo x 5; test ! -e " + stop_.string() + " || kill -TERM $PPID; sleep $(cat " +
              stop_.string() + " 2>/dev/null || echo 0)\"]\n";
      if (label == "b" && !kernel_of_b.empty()) text += "kernel = \"" + kernel_of_b + "\"\n";
    }
    return Parsed(text);
  }

  absl::StatusOr<SeriesReport> Run(const SeriesPlan& plan) {
    absl::StatusOr<SeriesState> state = SeriesState::Open(state_file_, plan.text);
    if (!state.ok()) return state.status();
    TerminationSignal termination;
    return RunSeries(plan, context_, &*state, machine_, termination);
  }

  std::string Log() const {
    std::ifstream in(log_);
    std::string log((std::istreambuf_iterator<char>(in)), {});
    std::erase(log, '\n');
    return log;
  }

  // The fake's threads inherit that signals wait to be taken.
  const TerminationSignal blocked_before_threads_;
  const PrivateDirectory directory_;
  const fs::path log_ = directory_.path() / "log";
  const fs::path stop_ = directory_.path() / "stop";
  const fs::path state_file_ = directory_.path() / "state";
  FakeIngest fake_;
  FakeMachine machine_;
  SeriesContext context_;
};

TEST_F(SeriesTest, WarmsUpFirstAndStoresTheInterleavedRunsAlone) {
  const auto report = Run(Plan("rounds = 2\nwarm_up_runs = 1\n"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, SeriesEnd::kDone);
  EXPECT_EQ(report->exit_code, 0);
  EXPECT_EQ(Log(), "ababab");
  EXPECT_EQ(fake_.runs().size(), 4u);
}

TEST_F(SeriesTest, EachRunCarriesItsJob) {
  ASSERT_TRUE(Run(Plan("")).ok());
  for (const auto& [uuid, run] : fake_.runs()) {
    const auto job = ParseJob(run.spec.job_toml(), "stored");
    ASSERT_TRUE(job.ok()) << job.status() << run.spec.job_toml();
    EXPECT_EQ(job->testcase, "t");
    EXPECT_EQ(job->commit, run.spec.commit().commit_id());
  }
}

TEST(PlanTest, TheStoredJobKeepsAScriptLineByLine) {
  Job job;
  job.testcase = "t";
  job.commit = "v6.18";
  job.command = {"sh", "-c", "n=1\n# a comment\necho \"lat\t$n\"", "\xff"};
  const absl::StatusOr<RunPlan> plan = PlanOf(job, {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<Job> stored = ParseJob(plan->spec.job_toml, "stored");
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_THAT(stored->command, ElementsAre("sh", "-c", "n=1\n# a comment\necho \"lat\t$n\"", "?"));
}

TEST_F(SeriesTest, ASecondSeriesOnOneStateIsRefused) {
  const absl::StatusOr<SeriesState> first = SeriesState::Open(state_file_, "plan");
  ASSERT_TRUE(first.ok()) << first.status();
  for (const bool restart : {false, true}) {
    const absl::Status second = SeriesState::Open(state_file_, "plan", restart).status();
    EXPECT_TRUE(absl::IsAborted(second)) << second;
    EXPECT_THAT(std::string(second.message()), HasSubstr("wait for its end"));
  }
  EXPECT_TRUE(fs::exists(state_file_)) << "the first goes on with it";
}

TEST_F(SeriesTest, RestartForgetsWhatIsDone) {
  {
    absl::StatusOr<SeriesState> state = SeriesState::Open(state_file_, "plan");
    ASSERT_TRUE(state.ok()) << state.status();
    ASSERT_TRUE(state->AddDone({.label = "a", .run_uuid = "1"}).ok());
  }
  EXPECT_EQ(SeriesState::Open(state_file_, "plan")->done().size(), 1u);
  EXPECT_EQ(SeriesState::Open(state_file_, "plan", true)->done().size(), 0u);
}

TEST_F(SeriesTest, AnInterruptedRunIsDoneAgainByTheNextCall) {
  const SeriesPlan plan = Plan("rounds = 2\n");
  std::ofstream(stop_) << "100";
  auto report = Run(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, SeriesEnd::kInterrupted);
  EXPECT_EQ(report->exit_code, 128 + SIGTERM);
  EXPECT_EQ(Log(), "a");
  fs::remove(stop_);
  report = Run(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, SeriesEnd::kDone);
  EXPECT_EQ(Log(), "aabab");
  report = Run(plan);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(Log(), "aabab") << "nothing is left to do";
}

TEST_F(SeriesTest, GoesOnOverABootOfAnotherKernel) {
  const SeriesPlan plan = Plan("rounds = 1\nwarm_up_runs = 1\n", "6.2.0");
  auto report = Run(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, SeriesEnd::kOtherKernel);
  EXPECT_EQ(report->exit_code, kExitOtherKernel);
  EXPECT_EQ(Log(), "aa") << "one to warm up, one that is stored";
  context_.facts.kernel_release = "6.2.0";
  context_.facts.boot_id = "boot-2";
  report = Run(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, SeriesEnd::kDone);
  EXPECT_EQ(Log(), "aaabb") << "the new boot is warmed up with what it can run: a has no kernel";
}

TEST_F(SeriesTest, SwitchKernelIsAskedOnceForAKernelThatDoesNotComeUp) {
  const fs::path asked = directory_.path() / "asked";
  const SeriesPlan plan =
      Plan("switch_kernel = [\"sh\", \"-c\", \"echo $REGRESS_KERNEL >>" + asked.string() + "\"]\n",
           "6.2.0");
  auto report = Run(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, SeriesEnd::kOtherKernel);
  context_.facts.boot_id = "boot-2";
  report = Run(plan);
  ASSERT_TRUE(absl::IsFailedPrecondition(report.status())) << report.status();
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("kernel 6.2.0 was asked for, and 6.1.0 came up"));
  EXPECT_EQ(*machine_.Read(asked), "6.2.0") << "once";
}

TEST_F(SeriesTest, AFailedRunIsARunAndTheSeriesGoesOn) {
  SeriesPlan plan = Plan("");
  plan.jobs.front().job.command = {"sh", "-c", "exit 9"};
  const auto report = Run(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->exit_code, 9);
  EXPECT_EQ(fake_.runs().size(), 2u);
}

TEST_F(SeriesTest, AFailedWarmUpStopsItBeforeAnythingIsMeasured) {
  SeriesPlan plan = Plan("warm_up_runs = 1\n");
  plan.jobs.back().job.command = {"sh", "-c", "exit 9"};
  const auto report = Run(plan);
  ASSERT_TRUE(absl::IsAborted(report.status())) << report.status();
  EXPECT_THAT(std::string(report.status().message()), StartsWith("job b: the warm-up of t failed"));
  EXPECT_TRUE(fake_.runs().empty());
}

TEST_F(SeriesTest, AChangedPlanIsNotGoneOnWith) {
  ASSERT_TRUE(Run(Plan("rounds = 1\n")).ok());
  const auto report = Run(Plan("rounds = 2\n"));
  ASSERT_TRUE(absl::IsFailedPrecondition(report.status()));
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("--restart"));
}

TEST_F(SeriesTest, ABrokenStateIsSaid) {
  std::ofstream(state_file_) << "{\"plan\": 1";
  EXPECT_TRUE(absl::IsDataLoss(Run(Plan("")).status()));
}

}  // namespace
}  // namespace regressd::agent
