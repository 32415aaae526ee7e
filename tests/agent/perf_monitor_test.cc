#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "services/agent/child_process.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/monitor_set.h"
#include "services/agent/monitors/perf_event_sets.h"
#include "services/agent/monitors/perf_lock_monitor.h"
#include "services/agent/monitors/perf_stat_rows.h"
#include "services/agent/private_directory.h"
#include "tests/agent/recording_sink.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RecordingSink;
using Ints = std::vector<std::int64_t>;

/// A perf of our own, first in PATH.
class FakePerfTest : public ::testing::Test {
 protected:
  FakePerfTest() : directory_(*PrivateDirectory::Create()), path_(std::getenv("PATH")) {
    setenv("PATH", (directory_.path().string() + ":" + path_).c_str(), 1);
  }
  ~FakePerfTest() override { setenv("PATH", path_.c_str(), 1); }

  void WritePerf(const std::string& script) {
    const fs::path fake = directory_.path() / "perf";
    std::ofstream(fake) << "#!/bin/sh\n" << script;
    chmod(fake.c_str(), 0755);
  }

  PrivateDirectory directory_;
  const std::string path_;
  RecordingSink sink_;
};

// What perf 6.1 prints to a plain user who asks for the whole machine.
constexpr const char* kNoWholeMachine =
    "case \"$*\" in *' -a'*)\n"
    "  echo 'Access to performance monitoring and observability operations is limited.' >&2\n"
    "  echo 'Consider adjusting /proc/sys/kernel/perf_event_paranoid setting' >&2; exit 255;;\n"
    "esac\n";

TEST_F(FakePerfTest, APlainUserCountsTheCommandItselfAndTheRunSaysSo) {
  WritePerf(std::string(kNoWholeMachine) +
            "case \"$*\" in\n"
            "*' -p '*) echo '0.1,5,,page-faults:u,1000,100.00,,'; sleep 1000;;\n"
            "*'-- true'*) for e in $(echo \"$*\" | sed 's/.*-e //; s/ .*//; s/,/ /g'); do\n"
            "  echo \"7,,$e,1000,100.00,,\"; done;;\n"
            "esac\n");
  const std::unique_ptr<Monitor> monitor = MakeMonitor(
      "perf-stat", {.interval = std::chrono::milliseconds(100), .perf_events = {"page-faults:u"}});
  ASSERT_TRUE(monitor->Probe().ok());
  EXPECT_THAT(monitor->restrictions(), HasSubstr("only the command and what it starts"));
  EXPECT_THAT(monitor->restrictions(), HasSubstr("kernel.perf_event_paranoid"));
  monitor->Start(sink_);
  EXPECT_THAT(sink_.rows, IsEmpty()) << "there is no command yet";
  monitor->CommandStarted(getpid());
  sink_.WaitForRows(kPerfStatSource, 1);
  monitor->Stop();
  EXPECT_EQ(sink_.Ints(kPerfStatSource, "perf-stat.i.page-faults:u"), Ints{5});
}

TEST_F(FakePerfTest, ThatTheCommandEndedIsNoFailureOfPerf) {
  WritePerf(std::string(kNoWholeMachine) +
            "case \"$*\" in *'-- true'*) echo '7,,page-faults:u,1000,100.00,,';; esac\n");
  const std::unique_ptr<Monitor> monitor =
      MakeMonitor("perf-stat", {.perf_events = {"page-faults:u"}});
  ASSERT_TRUE(monitor->Probe().ok());
  absl::StatusOr<ChildProcess> command = ChildProcess::Start({.arguments = {"true"}});
  ASSERT_TRUE(command.ok());
  const pid_t pid = command->pid();
  command->WaitOrKill(std::chrono::milliseconds(10'000));
  monitor->Start(sink_);
  monitor->CommandStarted(pid);
  monitor->Stop();
  EXPECT_THAT(sink_.notes, IsEmpty());
}

TEST_F(FakePerfTest, WithoutACommandNothingIsStarted) {
  WritePerf(std::string(kNoWholeMachine) + "echo '7,,page-faults:u,1000,100.00,,'\n");
  const std::unique_ptr<Monitor> monitor =
      MakeMonitor("perf-stat", {.perf_events = {"page-faults:u"}});
  ASSERT_TRUE(monitor->Probe().ok());
  monitor->Start(sink_);
  monitor->Stop();
  EXPECT_THAT(sink_.notes, IsEmpty());
  EXPECT_THAT(sink_.rows, IsEmpty());
}

TEST_F(FakePerfTest, AProfilerThatFailsIsTriedAgainOnceAndTheRunGoesOn) {
  WritePerf(
      "case \"$*\" in *' true') for last in \"$@\"; do :; done; exit 0;; esac\n"
      "echo 'out of buffers' >&2; exit 7\n");
  const PrivateDirectory work = *PrivateDirectory::Create();
  const std::unique_ptr<Monitor> monitor =
      MakeMonitor("perf-record", {.work_directory = work.path()});
  ASSERT_TRUE(monitor->Probe().ok());
  monitor->Start(sink_);
  sink_.WaitForNotes(3);
  monitor->Stop();
  EXPECT_THAT(sink_.notes[0], HasSubstr("perf record ended with exit status 7"));
  EXPECT_EQ(sink_.notes[2], "perf-record: given up: two windows failed");
}

TEST_F(FakePerfTest, TheEventOfAProfileIsTheOneAskedFor) {
  WritePerf("echo \"$*\" >>" + (directory_.path() / "calls").string() + "; exit 255\n");
  const std::unique_ptr<Monitor> monitor =
      MakeMonitor("perf-record", {.profile_event = "page-faults"});
  EXPECT_FALSE(monitor->Probe().ok());
  std::ifstream file(directory_.path() / "calls");
  const std::string calls((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(calls, HasSubstr("-e page-faults"));
  EXPECT_THAT(calls, Not(HasSubstr("cycles")));
}

TEST_F(FakePerfTest, LocksAreMeasuredInWindowsEachLockInEach) {
  // The table as perf 6.1 prints it.
  WritePerf(
      "case \"$*\" in\n"
      "*'contention -h'*) echo ' Usage: perf lock contention [<options>]' >&2; exit 129;;\n"
      "*'lock record'*'-- true'*) exit 0;;\n"
      "*'lock record'*) sleep 0.05;;\n"
      "*'lock contention'*)\n"
      "  echo ' contended   total wait     max wait     avg wait         type   caller'\n"
      "  echo '    8     42.20 ms   10.05 us   5.27 us   spinlock   folio_batch_move_lru+0x88'\n"
      "  echo '    2     10.00 us   10.05 us   5.27 us   spinlock   call_timer_fn+0x29';;\n"
      "esac\n");
  const fs::path tracepoint = directory_.path() / "events/lock/contention_begin";
  fs::create_directories(tracepoint);
  std::ofstream(tracepoint / "id") << "42\n";
  PerfLockMonitor monitor({.work_directory = directory_.path()}, directory_.path());
  const absl::Status status = monitor.Probe();
  ASSERT_TRUE(status.ok()) << status;
  monitor.Start(sink_);
  sink_.WaitForRows(kPerfLockSource, 1);
  monitor.Stop();
  EXPECT_GT(sink_.Ints(kPerfLockSource, "perf-lock.contention.lru_lock.contended")[0], 0);
  EXPECT_GT(sink_.Ints(kPerfLockSource, "perf-lock.contention.other.total_wait")[0], 0);
  EXPECT_EQ(sink_.Ints(kPerfLockSource, "perf-lock.contention.swap.total_wait")[0], 0)
      << "measured, and nobody waited";
  EXPECT_THAT(sink_.notes, Contains(HasSubstr("longest waits in: folio_batch_move_lru")));
}

TEST_F(FakePerfTest, LocksNeedAPerfAndAKernelThatKnowThem) {
  WritePerf("echo ' Usage: perf lock [<options>] {record|report}' >&2; exit 129\n");
  PerfLockMonitor old_perf({}, directory_.path());
  EXPECT_THAT(std::string(old_perf.Probe().message()), HasSubstr("perf 6.1 or newer"));
  WritePerf("echo ' Usage: perf lock contention [<options>]' >&2; exit 129\n");
  PerfLockMonitor old_kernel({}, directory_.path());
  EXPECT_THAT(std::string(old_kernel.Probe().message()), HasSubstr("Linux 5.19"));
}

TEST_F(FakePerfTest, TheToolVmstatIsLeftOutBesideTheComputedOne) {
  const MonitorSet monitors({"vmstat", "vmstat-tool"}, {});
  EXPECT_EQ(monitors.notes().count("vmstat"), 0u);
  EXPECT_THAT(monitors.notes().at("vmstat-tool"), HasSubstr("left out"));
}

TEST(PerfStatRowsTest, AnEventThatSharedItsCounterHasItsShareBesideIt) {
  PerfStatRows rows(1000);
  parse::PerfStatRow row;
  row.time_s = 1;
  row.event = "cycles";
  row.value = 100;
  row.percent_running = 100.0;
  rows.Take(row);
  auto interval = rows.TakeIfComplete(1);
  EXPECT_EQ(rows.table().source().metrics.size(), 1u) << "nothing to say yet";
  row.time_s = 2;
  row.percent_running = 62.5;
  rows.Take(row);
  interval = rows.TakeIfComplete(1);
  ASSERT_EQ(rows.table().source().metrics.size(), 2u);
  EXPECT_EQ(rows.table().source().metrics[1].name, "perf-stat.i.cycles.running%");
  EXPECT_EQ(interval->row.ints[1], 6250);
}

TEST(PerfEventSetsTest, ATestcaseIsCountedByWhatItIsAbout) {
  EXPECT_THAT(TracepointsFor("swap-w-seq"), Contains("vmscan:mm_vmscan_reclaim_pages"));
  EXPECT_THAT(TracepointsFor("sparsetruncate"), Contains("pagemap:mm_lru_activate"));
  EXPECT_THAT(TracepointsFor("page-fault1"), Contains("huge_memory:mm_collapse_huge_page"));
  EXPECT_THAT(TracepointsFor("page-fault1"), Not(Contains("pagemap:mm_lru_activate")));
  for (const char* testcase : {"swap-w-seq", "lru-file-readonce", "page-fault1", ""}) {
    EXPECT_THAT(TracepointsFor(testcase), Contains("vmscan:mm_vmscan_lru_shrink_inactive"));
    EXPECT_THAT(TracepointsFor(testcase), Not(Contains("pagemap:mm_lru_insertion")))
        << "fires on each page";
  }
}

}  // namespace
}  // namespace regressd::agent
