#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "services/agent/child_process.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/proc_monitor.h"
#include "services/agent/monitors/tool_monitor.h"
#include "services/agent/private_directory.h"
#include "tests/agent/recording_sink.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::RecordingSink;

std::vector<std::string> Names(const model::Source& source) {
  std::vector<std::string> names;
  for (const model::Metric& metric : source.metrics) names.push_back(metric.name);
  return names;
}

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A /proc of our own.
class FakeProcTest : public ::testing::Test {
 protected:
  FakeProcTest() : root_(*PrivateDirectory::Create()) {
    fs::create_directories(root_.path() / "proc/pressure");
    Write("vmstat", "nr_free_pages 100\npswpout 7\n");
    Write("meminfo", "MemTotal:  2000 kB\nHugePages_Total:  0\n");
    Write("pressure/memory",
          "some avg10=1.25 avg60=0.00 avg300=0.00 total=18446744073709551615\n"
          "full avg10=0.00 avg60=0.00 avg300=100.00 total=5\n");
  }

  /// In place: the monitor keeps its files open.
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root_.path() / "proc" / name) << text;
  }

  PrivateDirectory root_;
  RecordingSink sink_;
};

TEST_F(FakeProcTest, HasARowBeforeAndOneAfterTheCommand) {
  ProcMonitor monitor({.interval = std::chrono::hours(1)}, root_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  ASSERT_EQ(sink_.rows[kProcSource].size(), 1u) << "taken before Start returns";
  Write("vmstat", "nr_free_pages 90\npswpout 12\n");
  monitor.Stop();
  EXPECT_EQ(sink_.Ints(kProcSource, "proc-vmstat.pswpout"), (std::vector<std::int64_t>{7, 12}));
  EXPECT_EQ(sink_.Ints(kProcSource, "proc-vmstat.nr_free_pages"),
            (std::vector<std::int64_t>{100, 90}));
  EXPECT_LT(sink_.rows[kProcSource][0].time, sink_.rows[kProcSource][1].time);
}

TEST_F(FakeProcTest, KeepsDecimalsByScaleAndCountersByTheirBits) {
  ProcMonitor monitor({.interval = std::chrono::hours(1)}, root_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  monitor.Stop();
  EXPECT_EQ(sink_.Ints(kProcSource, "pressure.memory.some.avg10")[0], 125);
  EXPECT_EQ(sink_.Ints(kProcSource, "pressure.memory.full.avg300")[0], 10000);
  EXPECT_EQ(sink_.Ints(kProcSource, "pressure.memory.some.total")[0], -1) << "2^64 - 1";
  for (const model::Metric& metric : sink_.sources[kProcSource].metrics) {
    const bool is_share = metric.name.find(".avg") != std::string::npos;
    EXPECT_EQ(metric.scale, is_share ? 0.01 : 1) << metric.name;
  }
}

TEST_F(FakeProcTest, NamesThatAppearGoToTheEndAndThoseThatVanishAreMissing) {
  ProcMonitor monitor({.interval = std::chrono::hours(1)}, root_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  const std::vector<std::string> before = Names(sink_.sources[kProcSource]);
  Write("vmstat", "nr_free_pages 90\nswpin_zero 3\n");
  monitor.Stop();
  std::vector<std::string> after = Names(sink_.sources[kProcSource]);
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_EQ(after.back(), "proc-vmstat.swpin_zero");
  after.pop_back();
  EXPECT_EQ(after, before) << "columns never move";
  EXPECT_EQ(sink_.Ints(kProcSource, "proc-vmstat.pswpout"), (std::vector<std::int64_t>{7}))
      << "missing is not zero";
}

TEST_F(FakeProcTest, SaysWhatItHasToDoWithout) {
  fs::remove_all(root_.path() / "proc/pressure");
  ProcMonitor monitor({}, root_.path());
  EXPECT_TRUE(monitor.Probe().ok());
  EXPECT_THAT(monitor.restrictions(), HasSubstr("CONFIG_PSI"));
  ProcMonitor nothing({}, root_.path() / "nowhere");
  EXPECT_FALSE(nothing.Probe().ok());
}

TEST(ProcMonitorTest, ReadsThisMachineAtEachTurn) {
  ProcMonitor monitor({.interval = std::chrono::milliseconds(10)});
  ASSERT_TRUE(monitor.Probe().ok());
  RecordingSink sink;
  monitor.Start(sink);
  sink.WaitForRows(kProcSource, 5);
  monitor.Stop();
  const std::vector<std::int64_t> faults = sink.Ints(kProcSource, "proc-vmstat.pgfault");
  ASSERT_GE(faults.size(), 5u);
  EXPECT_TRUE(std::is_sorted(faults.begin(), faults.end()));
  EXPECT_GT(faults.front(), 0);
  EXPECT_GT(sink.Ints(kProcSource, "meminfo.MemTotal").front(), 1000);
}

TEST(VmstatToolMonitorTest, GivesIntervalsWithTrueMemoryColumns) {
  const std::unique_ptr<Monitor> monitor = MakeMonitor("vmstat-tool", {});
  if (const absl::Status status = monitor->Probe(); !status.ok()) GTEST_SKIP() << status;
  RecordingSink sink;
  monitor->Start(sink);
  sink.WaitForRows(kVmstatSource, 2);
  monitor->Stop();
  EXPECT_TRUE(sink.notes.empty()) << sink.notes.front();
  const std::vector<std::string> names = Names(sink.sources[kVmstatSource]);
  for (const char* name : {"vmstat.procs.r", "vmstat.memory.free", "vmstat.swap.so",
                           "vmstat.system.cs", "vmstat.cpu.us"}) {
    EXPECT_TRUE(Holds(names, name)) << name;
  }
  // Of /proc/meminfo, in KiB: within the machine's memory, and more than nothing.
  std::ifstream meminfo("/proc/meminfo");
  std::string word;
  std::int64_t total_kib = 0;
  meminfo >> word >> total_kib;
  const std::int64_t free_kib = sink.Ints(kVmstatSource, "vmstat.memory.free").back();
  EXPECT_GT(free_kib, 0);
  EXPECT_LT(free_kib, total_kib);
}

/// A process that takes all the CPU time it gets.
ChildProcess StartLoad() {
  absl::StatusOr<ChildProcess> load =
      ChildProcess::Start({.arguments = {"sh", "-c", "while :; do :; done"}});
  EXPECT_TRUE(load.ok()) << load.status();
  return *std::move(load);
}

// Without the right to see the machine perf counts the command alone.
TEST(PerfStatMonitorTest, CountsTheMachineOrTheCommandOrSaysWhyNot) {
  const std::unique_ptr<Monitor> monitor =
      MakeMonitor("perf-stat", {.interval = std::chrono::milliseconds(100)});
  if (const absl::Status status = monitor->Probe(); !status.ok()) {
    EXPECT_FALSE(status.message().empty());
    GTEST_SKIP() << status;
  }
  const ChildProcess load = StartLoad();
  RecordingSink sink;
  monitor->Start(sink);
  monitor->CommandStarted(load.pid());
  // On a busy machine the command's first intervals may pass before it gets on a CPU.
  const std::string clock_name = sink.WaitForMetric(kPerfStatSource, "perf-stat.i.task-clock");
  sink.WaitForRows(kPerfStatSource, 3);
  monitor->Stop();
  const bool whole_machine = monitor->restrictions().find("only the command") == std::string::npos;
  if (whole_machine) {
    EXPECT_TRUE(sink.notes.empty()) << sink.notes.front();
  }
  // The whole machine's clock: interval times CPUs, in units of 0.01 ms; perf's own intervals are
  // only about as long as asked for. A command's is as long as it was on a CPU.
  const auto cpus = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  for (const std::int64_t clock : sink.Ints(kPerfStatSource, clock_name)) {
    EXPECT_GT(static_cast<double>(clock) * 0.01, whole_machine ? 50 * cpus : 0);
  }
  const auto& rows = sink.rows[kPerfStatSource];
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GE(rows[i].time - rows[i - 1].time, std::chrono::milliseconds(90));
  }
}

TEST(PerfRecordMonitorTest, FoldsTheStacksOfTheMachineOrSaysWhyNot) {
  const PrivateDirectory directory = *PrivateDirectory::Create();
  const std::unique_ptr<Monitor> monitor = MakeMonitor(
      "perf-record",
      {.work_directory = directory.path(), .profile_window = std::chrono::milliseconds(1000)});
  if (const absl::Status status = monitor->Probe(); !status.ok()) {
    EXPECT_FALSE(status.message().empty());
    GTEST_SKIP() << status;
  }
  const ChildProcess load = StartLoad();  // Something to see.
  RecordingSink sink;
  monitor->Start(sink);
  monitor->CommandStarted(load.pid());
  while (sink.windows.empty() && sink.notes.empty()) usleep(10'000);
  monitor->Stop();
  ASSERT_FALSE(sink.windows.empty()) << sink.notes.front();
  bool saw_load = false;
  for (const auto& [folded, count] : sink.windows[0].counts) {
    EXPECT_GE(count, 1);
    saw_load = saw_load || folded.starts_with("sh;");
  }
  EXPECT_TRUE(saw_load);
  const std::string& metric = sink.sources[kPerfRecordSource].metrics.at(0).name;
  EXPECT_TRUE(metric.starts_with("perf-profile.")) << metric;
  EXPECT_TRUE(fs::is_empty(directory.path())) << "recordings must be gone";
}

/// A monitor whose tool is a shell script.
class ScriptMonitor : public ToolMonitor {
 public:
  ScriptMonitor(std::string script, std::chrono::milliseconds patience)
      : ToolMonitor({}), script_(std::move(script)), patience_(patience) {}
  ~ScriptMonitor() override { Stop(); }

  std::string_view name() const override { return "script"; }
  std::string_view description() const override { return "a test's own"; }
  absl::Status Probe() override { return absl::OkStatus(); }

  std::vector<std::string> lines;
  int begin_count = 0;
  std::atomic<int> line_count = 0;

 protected:
  std::vector<std::string> Command() const override { return {"sh", "-c", script_}; }
  std::chrono::milliseconds Patience() const override { return patience_; }
  void Begin() override { ++begin_count; }
  void TakeLine(std::string_view line, model::Time /*arrival*/) override {
    lines.emplace_back(line);
    ++line_count;
  }
  void End(bool /*stopped*/) override {}

 private:
  const std::string script_;
  const std::chrono::milliseconds patience_;
};

constexpr std::chrono::milliseconds kForever{600'000};

TEST(ToolMonitorTest, AToolThatDiesIsStartedOnceMoreAndReported) {
  ScriptMonitor monitor("echo row; echo broken pipe of mine >&2; exit 4", kForever);
  RecordingSink sink;
  monitor.Start(sink);
  sink.WaitForNotes(2);
  monitor.Stop();
  EXPECT_EQ(sink.notes,
            (std::vector<std::string>{
                "script: ended with exit status 4 (\"broken pipe of mine\"), started again",
                "script: ended with exit status 4 (\"broken pipe of mine\"), given up"}));
  EXPECT_EQ(monitor.lines, (std::vector<std::string>{"row", "row"}));
}

TEST(ToolMonitorTest, AToolThatHangsIsKilledWithItsChildrenAndReported) {
  ScriptMonitor monitor("echo $$; sleep 1000 & echo $!; wait", std::chrono::milliseconds(200));
  RecordingSink sink;
  monitor.Start(sink);
  sink.WaitForNotes(2);
  monitor.Stop();
  EXPECT_EQ(sink.notes,
            (std::vector<std::string>{"script: silent for 200 ms, killed, started again",
                                      "script: silent for 200 ms, killed, given up"}));
  for (const std::string& pid : monitor.lines) {
    while (kill(std::stoi(pid), 0) == 0) {
      std::ifstream file("/proc/" + pid + "/stat");
      std::string text;
      std::getline(file, text);
      if (text.find(") Z") != std::string::npos) break;
    }
  }
}

TEST(ToolMonitorTest, AToolThatTalksOnWhenToldToStopIsKilledAndReported) {
  ScriptMonitor monitor("trap '' INT; while :; do echo row; sleep 0.05; done", kForever);
  RecordingSink sink;
  monitor.Start(sink);
  while (monitor.line_count == 0) usleep(1000);
  monitor.Stop();
  EXPECT_EQ(sink.notes, (std::vector<std::string>{"script: did not stop when asked to, killed"}));
}

TEST(ToolMonitorTest, AMissingToolIsReported) {
  const std::string path = std::getenv("PATH");
  const PrivateDirectory empty = *PrivateDirectory::Create();
  setenv("PATH", empty.path().c_str(), 1);
  const absl::Status vmstat = MakeMonitor("vmstat-tool", {})->Probe();
  const absl::Status perf_stat = MakeMonitor("perf-stat", {})->Probe();
  const absl::Status perf_record = MakeMonitor("perf-record", {})->Probe();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(vmstat.message(), "no vmstat in PATH; install procps");
  EXPECT_EQ(perf_stat.message(), "no perf in PATH; install linux-perf");
  EXPECT_EQ(perf_record.message(), "no perf in PATH; install linux-perf");
}

TEST(ToolMonitorTest, AToolWithoutRightSaysWhichSettingHelps) {
  // What perf 6.1 prints to a plain user.
  const PrivateDirectory directory = *PrivateDirectory::Create();
  const fs::path fake = directory.path() / "perf";
  std::ofstream(fake) << "#!/bin/sh\n"
                         "echo 'Access to performance monitoring and observability operations is "
                         "limited.' >&2\n"
                         "echo 'Consider adjusting /proc/sys/kernel/perf_event_paranoid setting' "
                         ">&2\nexit 255\n";
  chmod(fake.c_str(), 0755);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (directory.path().string() + ":" + path).c_str(), 1);
  const absl::Status status = MakeMonitor("perf-stat", {})->Probe();
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(absl::IsPermissionDenied(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("kernel.perf_event_paranoid"));
}

TEST(MonitorsTest, EveryNameMakesAMonitorOfThatName) {
  for (const MonitorChoice& choice : AllMonitors()) {
    const std::unique_ptr<Monitor> monitor = MakeMonitor(choice.name, {});
    ASSERT_TRUE(monitor) << choice.name;
    EXPECT_EQ(monitor->name(), choice.name);
  }
  EXPECT_FALSE(MakeMonitor("nothing", {}));
}

}  // namespace
}  // namespace regressd::agent
