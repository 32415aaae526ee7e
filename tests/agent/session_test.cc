#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "services/agent/deliver_session.h"
#include "services/agent/private_directory.h"
#include "services/agent/run_session.h"
#include "tests/agent/fake_ingest.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeIngest;
using ::testing::HasSubstr;
using testing::StoredRow;
using testing::StoredRun;
using testing::StoredSource;

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : directory_(*PrivateDirectory::Create()) {
    plan_.spec.axes.Set("testcase", "t");
    plan_.spec.commit.commit_id = "v6.18";
    plan_.spec.facts.testbox = "box-1";
    plan_.testcase = "t";
    plan_.monitors = {"proc"};
    plan_.monitor_settings.interval = std::chrono::milliseconds(10);
    plan_.delivery.spool.directory = directory_.path() / "spool";
    plan_.delivery.sender.server = fake_.address();
    plan_.delivery.sender.min_backoff = std::chrono::milliseconds(1);
  }

  RunReport Run(const std::string& script) {
    plan_.command = {"sh", "-c", script};
    const absl::StatusOr<RunReport> report = ExecuteRun(plan_, termination_);
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
    return report.ok() ? *report : RunReport{};
  }

  static std::map<std::string, double> Results(const StoredRun& run) {
    std::map<std::string, double> results;
    const StoredSource& source = run.sources.at(kResultSource);
    for (const auto& [seq, row] : source.rows) {
      for (std::size_t i = 0; i < row.doubles.size(); ++i) {
        if (row.doubles[i])
          results[source.declared.metrics(static_cast<int>(i)).name()] = *row.doubles[i];
      }
    }
    return results;
  }

  TerminationSignal termination_;
  PrivateDirectory directory_;
  FakeIngest fake_;
  RunPlan plan_;
};

TEST_F(SessionTest, SamplesArriveWhileTheCommandRuns) {
  // The command ends only once the server has stored a batch of /proc.
  const fs::path mark = directory_.path() / "stored";
  fake_.TouchOnBatch(kProcSource, mark);
  const RunReport report = Run("until [ -e " + mark.string() + " ]; do sleep 0.01; done");
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_EQ(report.delivery.delivery, Delivery::kDelivered);
}

TEST_F(SessionTest, ARunArrivesWithItsResultsUsageObservationsAndEnd) {
  const RunReport report =
      Run("echo throughput 12.5 MB/s higher; printf '# Time us lower\\n3.5\\n4\\n' "
          "> $REGRESS_OBSERVATIONS; echo $REGRESS_RUN_UUID > /dev/null");
  EXPECT_EQ(report.exit_code(), 0);
  const StoredRun run = fake_.OnlyRun();
  EXPECT_EQ(run.spec.run_uuid(), report.run_uuid);
  EXPECT_EQ(run.spec.command(0), "sh");
  ASSERT_TRUE(run.outcome);
  EXPECT_EQ(run.outcome->exit_status(), 0);
  EXPECT_EQ(run.outcome->last_output_lines_size(), 0) << "a good run needs none";
  const auto results = Results(run);
  EXPECT_EQ(results.at("t.throughput"), 12.5);
  EXPECT_GT(results.at("t.time.elapsed_time"), 0);
  EXPECT_THAT(run.sources.at(kObservationSource).observations.at(0), ElementsAre(3.5, 4));
  EXPECT_GE(run.sources.at(kProcSource).rows.size(), 2u) << "before and after the command";
  EXPECT_TRUE(fs::is_empty(plan_.delivery.spool.directory)) << "delivered spools are removed";
}

TEST_F(SessionTest, AFailedCommandIsAFailedRunWithItsLastWords) {
  const RunReport report = Run("echo fine; echo out of memory >&2; exit 9");
  EXPECT_EQ(report.exit_code(), 9);
  const StoredRun run = fake_.OnlyRun();
  ASSERT_TRUE(run.outcome);
  EXPECT_EQ(run.outcome->exit_status(), 9);
  EXPECT_THAT(run.outcome->last_output_lines(), Contains("out of memory"));
}

TEST_F(SessionTest, ACommandThatIsNotThereIsAFailedRun) {
  plan_.command = {"/no/such/program"};
  const absl::StatusOr<RunReport> report = ExecuteRun(plan_, termination_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->exit_code(), 127);
  const StoredRun run = fake_.OnlyRun();
  ASSERT_TRUE(run.outcome);
  EXPECT_EQ(run.outcome->exit_status(), -1);
  EXPECT_NE(run.outcome->failure(), "");
  EXPECT_FALSE(run.sources.contains(kResultSource)) << "what never ran used nothing";
}

TEST_F(SessionTest, AMonitorThatCannotStartIsNotedAndTheRunGoesOn) {
  const std::string path = std::getenv("PATH");
  plan_.monitors = {"proc", "vmstat-tool"};
  const PrivateDirectory empty = *PrivateDirectory::Create();
  setenv("PATH", empty.path().c_str(), 1);
  plan_.command = {"/bin/true"};
  const absl::StatusOr<RunReport> report = ExecuteRun(plan_, termination_);
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->exit_code(), 0);
  EXPECT_EQ(fake_.OnlyRun().spec.monitor_notes().at("vmstat-tool"), "no vmstat in PATH; install procps");
}

TEST_F(SessionTest, ASpecThatNoServerTakesCostsNoRun) {
  plan_.spec.axes.Set("bad\x01key", "v");
  plan_.command = {"touch", (directory_.path() / "ran").string()};
  EXPECT_TRUE(absl::IsInvalidArgument(ExecuteRun(plan_, termination_).status()));
  EXPECT_FALSE(fs::exists(directory_.path() / "ran"));
}

TEST_F(SessionTest, WithoutAServerTheRunWaitsAndIsDeliveredLater) {
  fake_.Stop();
  plan_.delivery.deliver_timeout = std::chrono::milliseconds(1);
  const RunReport report = Run("echo throughput 5");
  EXPECT_EQ(report.exit_code(), kExitUnreachable);
  EXPECT_TRUE(fs::exists(report.delivery.spool_path));
  fake_.Start();
  plan_.delivery.deliver_timeout = std::chrono::hours(1);
  EXPECT_EQ(DeliverLeftovers(plan_.delivery, termination_), kExitOk);
  const StoredRun run = fake_.OnlyRun();
  EXPECT_EQ(run.spec.run_uuid(), report.run_uuid);
  EXPECT_EQ(Results(run).at("t.throughput"), 5);
  EXPECT_TRUE(fs::is_empty(plan_.delivery.spool.directory));
}

TEST_F(SessionTest, ARefusedRunIsKeptAndSaysSo) {
  fake_.Script({{.refuse_hello_with = 7}});  // PERMISSION_DENIED.
  const RunReport report = Run("true");
  EXPECT_EQ(report.exit_code(), kExitRefused);
  EXPECT_EQ(report.delivery.error, "refused by the script");
  EXPECT_TRUE(fs::exists(report.delivery.spool_path));
}

TEST_F(SessionTest, ARunWhoseSpoolWasCutSaysSoWhenItArrives) {
  fake_.Stop();
  plan_.delivery.deliver_timeout = std::chrono::milliseconds(1);
  const RunReport report = Run("true");
  const fs::path file = report.delivery.spool_path;
  fs::resize_file(file, fs::file_size(file) - 1);  // The end is the last record.
  fake_.Start();
  plan_.delivery.deliver_timeout = std::chrono::hours(1);
  EXPECT_EQ(DeliverLeftovers(plan_.delivery, termination_), kExitOk);
  const StoredRun run = fake_.OnlyRun();
  ASSERT_TRUE(run.outcome);
  EXPECT_THAT(run.outcome->failure(), HasSubstr(file.string() + " is cut at byte "));
}

TEST_F(SessionTest, DeliverLeavesAloneWhatAnotherHoldsOrHasDelivered) {
  fake_.Stop();
  plan_.delivery.deliver_timeout = std::chrono::milliseconds(1);
  const RunReport report = Run("true");
  const fs::path file = report.delivery.spool_path;
  // Listed, and gone when it is opened.
  fs::create_symlink("nowhere", file.parent_path() / "delivered.spool");
  const auto holder = Spool::Recover(file, plan_.delivery.spool);
  ASSERT_TRUE(holder.ok()) << holder.status();
  EXPECT_EQ(DeliverLeftovers(plan_.delivery, termination_), kExitOk);
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(SessionTest, AnObservationWhoseNameIsNoTextCostsOnlyItself) {
  const RunReport report =
      Run("printf '# bad\\377 us\\n1\\n# good us\\n2\\n' > $REGRESS_OBSERVATIONS");
  EXPECT_EQ(report.exit_code(), 0);
  const StoredRun run = fake_.OnlyRun();
  const StoredSource& source = run.sources.at(kObservationSource);
  ASSERT_EQ(source.declared.metrics_size(), 1);
  EXPECT_EQ(source.declared.metrics(0).name(), "t.good");
  EXPECT_THAT(source.observations.at(0), ElementsAre(2));
  EXPECT_THAT(run.outcome->monitor_notes().at("observations"), HasSubstr("line 1: the name"));
}

}  // namespace
}  // namespace regressd::agent
