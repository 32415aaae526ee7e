#include "services/agent/monitors/kernel_log_monitor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "services/agent/private_directory.h"
#include "tests/agent/recording_sink.h"

namespace regressd::agent {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RecordingSink;

/// A /dev/kmsg of our own: a pipe that keeps the borders of what is written.
class FakeKernelLogTest : public ::testing::Test {
 protected:
  FakeKernelLogTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_DIRECT | O_CLOEXEC), 0);
    out_ = UniqueFd(ends[0]);
    in_ = UniqueFd(ends[1]);
  }

  std::string path() const { return fmt::format("/proc/self/fd/{}", out_.get()); }

  void Log(std::string_view record) {
    ASSERT_EQ(write(in_.get(), record.data(), record.size()), static_cast<ssize_t>(record.size()));
  }

  std::vector<std::string> Metrics() {
    std::vector<std::string> names;
    if (!sink_.sources.contains(kKernelLogSource)) return names;
    for (const model::Metric& metric : sink_.sources[kKernelLogSource].metrics) {
      names.push_back(metric.name);
    }
    return names;
  }

  UniqueFd out_;
  UniqueFd in_;
  RecordingSink sink_;
};

TEST_F(FakeKernelLogTest, ARunThatMetOomSaysSoAndIsIncomplete) {
  KernelLogMonitor monitor({}, path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  Log("6,1,1000000,-;zram: Added device: zram1");
  Log("4,2,2500000,-;usemem invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER), order=0");
  Log("3,3,2600000,-;Memory cgroup out of memory: Killed process 812 (usemem) total-vm:1kB");
  Log("4,4,2700000,-;usemem invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER), order=0");
  monitor.Stop();
  EXPECT_EQ(Metrics(),
            (std::vector<std::string>{"dmesg.invoked_oom-killer:gfp_mask=0x",
                                      "dmesg.Memory_cgroup_out_of_memory:Killed_process",
                                      "last_state.OOM", "last_state.is_incomplete_run"}));
  // Once a run, as LKP counts.
  EXPECT_EQ(sink_.Ints(kKernelLogSource, "last_state.OOM"), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(sink_.Ints(kKernelLogSource, "dmesg.invoked_oom-killer:gfp_mask=0x"),
            (std::vector<std::int64_t>{1}));
  EXPECT_THAT(sink_.notes, Contains(HasSubstr("[2.600000] Memory cgroup out of memory: Killed")));
}

/// A fake /proc/self, in the machine's own cgroup namespace unless said otherwise, whose memory
/// cgroup is /bench.slice/job.
class RunCgroupTest : public FakeKernelLogTest {
 protected:
  RunCgroupTest() : self_(*PrivateDirectory::Create()) {
    std::filesystem::create_directory(self_.path() / "ns");
    std::filesystem::create_symlink("cgroup:[4026531835]", self_.path() / "ns/cgroup");
    std::ofstream(self_.path() / "cgroup")
        << "3:cpu,cpuacct:/x\n2:memory:/bench.slice/job\n0::/y\n";
  }

  /// As Linux 6.1 logs it. Whether the run is incomplete afterwards.
  bool IsIncompleteAfter(const std::string& limit, const std::string& task,
                         const MonitorSettings& settings = {}) {
    KernelLogMonitor monitor(settings, path(), self_.path());
    EXPECT_TRUE(monitor.Probe().ok());
    monitor.Start(sink_);
    Log("4,1,100,-;usemem invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0");
    Log(
        fmt::format("6,2,200,-;oom-kill:constraint={},nodemask=(null),cpuset=/,mems_allowed=0-1,{},"
                    "task_memcg={},task=usemem,pid=812,uid=0",
                    limit.empty() ? "CONSTRAINT_NONE" : "CONSTRAINT_MEMCG",
                    limit.empty() ? "global_oom" : "oom_memcg=" + limit, task));
    Log(fmt::format("3,3,300,-;{}ut of memory: Killed process 812 (usemem) total-vm:1kB",
                    limit.empty() ? "O" : "Memory cgroup o"));
    monitor.Stop();
    EXPECT_THAT(Metrics(), Contains("dmesg.invoked_oom-killer:gfp_mask=0x"));
    const std::vector<std::string> names = Metrics();
    return std::count(names.begin(), names.end(), "last_state.is_incomplete_run") > 0;
  }

  PrivateDirectory self_;
};

TEST_F(RunCgroupTest, MemoryThatRanOutElsewhereIsNotedAndTheRunIsWhole) {
  EXPECT_FALSE(IsIncompleteAfter("/docker/1f,2e", "/docker/1f,2e/sub"));
  EXPECT_THAT(
      sink_.notes,
      Contains("kernel-log: memory ran out in another cgroup than the run's: /docker/1f,2e"));
}

TEST_F(RunCgroupTest, ANeighbourWhoseNameBeginsAlikeIsAnother) {
  EXPECT_FALSE(IsIncompleteAfter("/bench.slice/job2", "/bench.slice/job2"));
}

TEST_F(RunCgroupTest, TheMachinesMemoryIsEverybodys) {
  EXPECT_TRUE(IsIncompleteAfter("", "/docker/1f"));
}

TEST_F(RunCgroupTest, TheLimitAboveTheRunIsItsOwn) {
  EXPECT_TRUE(IsIncompleteAfter("/bench.slice", "/bench.slice/other"));
}

TEST_F(RunCgroupTest, TheLimitBelowTheRunIsItsOwn) {
  EXPECT_TRUE(IsIncompleteAfter("/bench.slice/job/made-by-it", "/bench.slice/job/made-by-it"));
}

TEST_F(RunCgroupTest, TheCgroupMadeForTheRunStandsForItsAgents) {
  const MonitorSettings settings{.cgroup_directory = "/sys/fs/cgroup/memory/regressd-7"};
  EXPECT_TRUE(IsIncompleteAfter("/regressd-7", "/regressd-7", settings));
}

TEST_F(RunCgroupTest, TheAgentsOwnCgroupIsNotThatOfACommandWithItsOwn) {
  const MonitorSettings settings{.cgroup_directory = "/sys/fs/cgroup/memory/regressd-7"};
  EXPECT_FALSE(IsIncompleteAfter("/bench.slice/job", "/bench.slice/job", settings));
}

TEST_F(RunCgroupTest, InsideACgroupNamespaceItIsAssumed) {
  std::filesystem::remove(self_.path() / "ns/cgroup");
  std::filesystem::create_symlink("cgroup:[4026532500]", self_.path() / "ns/cgroup");
  EXPECT_TRUE(IsIncompleteAfter("/docker/1f", "/docker/1f"));
}

TEST_F(RunCgroupTest, OfLinux4TheSameIsReadFromItsOwnWords) {
  KernelLogMonitor monitor({}, path(), self_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  Log("4,1,100,-;usemem invoked oom-killer: gfp_mask=0x14000c0(GFP_KERNEL), order=0");
  Log("6,2,200,-;Task in /other/a killed as a result of limit of /other");
  Log("3,3,300,-;Memory cgroup out of memory: Kill process 812 (usemem) score 1 or sacrifice "
      "child");
  monitor.Stop();
  EXPECT_EQ(Metrics(), (std::vector<std::string>{"dmesg.invoked_oom-killer:gfp_mask=0x"}));
}

TEST_F(FakeKernelLogTest, AWarningDoesNotMakeTheRunIncomplete) {
  KernelLogMonitor monitor({}, path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  Log("4,2,2500000,-;WARNING: CPU: 2 PID: 77 at mm/vmscan.c:55 shrink_lruvec+0x3a/0x9c0");
  monitor.Stop();
  EXPECT_EQ(Metrics(), (std::vector<std::string>{"dmesg.WARNING:at_mm/vmscan.c:#shrink_lruvec"}));
}

TEST_F(FakeKernelLogTest, WhatAProgramWroteThereIsNoComplaintOfTheKernel) {
  KernelLogMonitor monitor({}, path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  Log("12,2,2500000,-;BUG: not really");
  Log("no record at all");
  monitor.Stop();
  EXPECT_THAT(Metrics(), IsEmpty());
  EXPECT_THAT(sink_.notes, IsEmpty());
}

TEST_F(FakeKernelLogTest, AKernelThatRepeatsItselfDoesNotFillTheRun) {
  KernelLogMonitor monitor({}, path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  for (int i = 0; i < 300; ++i) {
    const char letter = static_cast<char>('a' + i % 26);
    Log(fmt::format("4,{},1,-;BUG: number {}{}", i, std::string(1, letter),
                    std::string(static_cast<std::size_t>(i / 26 + 1), letter)));
  }
  monitor.Stop();
  EXPECT_EQ(Metrics().size(), 200u);
  EXPECT_EQ(sink_.notes.size(), 21u);
  EXPECT_EQ(sink_.notes.back(), "kernel-log: and 280 more");
}

TEST(KernelLogMonitorTest, WithoutTheRightItSaysWhichSettingHelps) {
  if (geteuid() == 0) {
    // Root may read everything; what is not there gives the other message.
    KernelLogMonitor monitor({}, "/nonexistent/kmsg");
    EXPECT_THAT(std::string(monitor.Probe().message()), HasSubstr("No such file"));
    return;
  }
  KernelLogMonitor monitor({}, "/proc/1/mem");
  EXPECT_THAT(std::string(monitor.Probe().message()), HasSubstr("kernel.dmesg_restrict"));
}

TEST(KernelLogMonitorTest, BeginsAtTheEndOfThisMachinesLogOrSaysWhatHelps) {
  KernelLogMonitor monitor({});
  if (const absl::Status status = monitor.Probe(); !status.ok()) {
    EXPECT_THAT(std::string(status.message()),
                AnyOf(HasSubstr("as root, or after: sysctl kernel.dmesg_restrict=0"),
                      HasSubstr("No such file or directory")));
    return;
  }
  RecordingSink sink;
  monitor.Start(sink);
  monitor.Stop();
  EXPECT_THAT(sink.notes, IsEmpty());
}

}  // namespace
}  // namespace regressd::agent
