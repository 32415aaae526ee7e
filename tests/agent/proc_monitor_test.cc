#include "services/agent/monitors/proc_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "services/agent/monitors/vmstat_monitor.h"
#include "services/agent/monitors/vmstat_rates.h"
#include "services/agent/private_directory.h"
#include "tests/agent/recording_sink.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RecordingSink;
using Ints = std::vector<std::int64_t>;

/// A machine of our own: /proc, /sys and a cgroup.
class FakeMachineTest : public ::testing::Test {
 protected:
  FakeMachineTest() : root_(*PrivateDirectory::Create()) {
    Write("proc/vmstat", "pgpgin 100\npgpgout 200\npswpin 10\npswpout 20\n");
    Write("proc/meminfo",
          "MemTotal: 1000 kB\nMemFree: 400 kB\nBuffers: 7 kB\nCached: 100 kB\nSwapTotal: 50 kB\n"
          "SwapFree: 20 kB\nSReclaimable: 11 kB\n");
    Write("proc/stat", Stat(100, 50, 1000, 2000));
  }

  /// In place: monitors keep their files open.
  void Write(const std::string& name, const std::string& text) {
    const fs::path path = root_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  static std::string Stat(int user, int system, int idle, int switches) {
    return "cpu  " + std::to_string(user) + " 0 " + std::to_string(system) + " " +
           std::to_string(idle) + " 0 0 0 0 0 0\nintr 5000 1 2\nctxt " + std::to_string(switches) +
           "\nprocs_running 4\nprocs_blocked 2\n";
  }

  /// The rows before and after a change.
  template <typename Change>
  void Watch(Monitor* monitor, Change change) {
    ASSERT_TRUE(monitor->Probe().ok());
    monitor->Start(sink_);
    change();
    monitor->Stop();
  }

  MonitorSettings Settings() const {
    return {.interval = std::chrono::hours(1), .cgroup_directory = root_.path() / "cgroup"};
  }

  PrivateDirectory root_;
  RecordingSink sink_;
};

TEST_F(FakeMachineTest, ReadsNodesZonesDisksInterruptsSwapAndItsCompression) {
  Write("sys/devices/system/node/node0/vmstat", "nr_free_pages 5\nnuma_hit 6\n");
  Write("sys/devices/system/node/node1/meminfo", "Node 1 MemFree:  77 kB\n");
  Write("proc/zoneinfo",
        "Node 0, zone   Normal\n  pages free     9\n        min      3\n        present  10\n");
  Write("proc/diskstats",
        " 254 0 vda 1 2 3 4 5 6 7 8 9 10 11\n 254 1 vda1 1 2 3 4 5 6 7 8 9 10 11\n");
  fs::create_directories(root_.path() / "sys/block/vda");
  Write("proc/interrupts", "  CPU0 CPU1\nLOC: 1 2 Local timer interrupts\n");
  Write("proc/swaps", "Filename Type Size Used Priority\n/dev/zram0 partition 64 8 -2\n");
  Write("sys/block/zram0/mm_stat", "4096 100 8192 0 9000 1 2 3 4\n");
  Write("sys/block/zram0/io_stat", "0 0 0 12\n");
  Write("sys/module/zswap/parameters/enabled", "Y\n");
  Write("sys/kernel/debug/zswap/stored_pages", "31\n");
  ProcMonitor monitor(Settings(), root_.path());
  Watch(&monitor, [&] { Write("sys/block/zram0/io_stat", "0 0 0 15\n"); });
  const auto value = [&](const char* name) { return sink_.Ints(kProcSource, name); };
  EXPECT_EQ(value("numa-vmstat.node0.numa_hit"), (Ints{6, 6}));
  EXPECT_EQ(value("numa-meminfo.node1.MemFree"), (Ints{77, 77}));
  EXPECT_EQ(value("zoneinfo.node0.Normal.pages.min"), (Ints{3, 3}));
  EXPECT_EQ(value("diskstats.write_sectors.vda"), (Ints{7, 7}));
  EXPECT_THAT(value("diskstats.write_sectors.vda1"), IsEmpty()) << "a partition";
  EXPECT_EQ(value("interrupts.LOC:Local_timer_interrupts"), (Ints{3, 3}));
  EXPECT_EQ(value("swaps.zram0.used"), (Ints{8, 8}));
  EXPECT_EQ(value("zram.zram0.compr_data_size"), (Ints{100, 100}));
  EXPECT_EQ(value("zram.zram0.notify_free"), (Ints{12, 15}));
  EXPECT_EQ(value("zswap.stored_pages"), (Ints{31, 31}));
  EXPECT_EQ(value("meminfo.Memused"), (Ints{600, 600}));
  EXPECT_THAT(sink_.notes, IsEmpty());
}

TEST_F(FakeMachineTest, ReadsTheRunsCgroupOfVersionTwo) {
  Write("cgroup/memory.stat", "anon 8192\npswpout 0\n");
  Write("cgroup/memory.events", "low 0\nmax 3\noom_kill 0\n");
  Write("cgroup/memory.pressure",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=4\n");
  Write("cgroup/memory.current", "123\n");
  ProcMonitor monitor(Settings(), root_.path());
  Watch(&monitor, [&] { Write("cgroup/memory.events", "low 0\nmax 9\noom_kill 1\n"); });
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.stat.anon"), (Ints{8192, 8192}));
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.events.max"), (Ints{3, 9}));
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.pressure.full.total"), (Ints{4, 4}));
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.current"), (Ints{123, 123}));
}

TEST_F(FakeMachineTest, ReadsTheRunsCgroupOfVersionOneUnderTheSameNames) {
  Write("cgroup/memory.stat",
        "cache 1\nrss 2\npgfault 3\ntotal_cache 4096\ntotal_rss 8192\n"
        "total_pgfault 7\n");
  Write("cgroup/memory.failcnt", "17\n");
  Write("cgroup/memory.usage_in_bytes", "123\n");
  ProcMonitor monitor(Settings(), root_.path());
  Watch(&monitor, [] {});
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.failcnt"), (Ints{17, 17}));
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.current"), (Ints{123, 123}));
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.stat.pgfault"), (Ints{7, 7}));
  EXPECT_EQ(sink_.Ints(kProcSource, "cgroup.memory.stat.anon"), (Ints{8192, 8192}));
}

TEST_F(FakeMachineTest, NamesEachFileThatIsNotThere) {
  Write("sys/module/zswap/parameters/enabled", "Y\n");
  ProcMonitor monitor(Settings(), root_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  for (const char* text : {"CONFIG_PSI", "CONFIG_SWAP", "CONFIG_SCHEDSTATS", "CONFIG_NUMA",
                           "/proc/zoneinfo", "debugfs", "cgroup: no memory statistics"}) {
    EXPECT_THAT(monitor.restrictions(), HasSubstr(text));
  }
  EXPECT_THAT(monitor.restrictions(), Not(HasSubstr("/proc/meminfo")));
}

TEST_F(FakeMachineTest, AFileThatVanishesIsNotedOnceAndTheRestGoesOn) {
  Write("sys/block/zram0/mm_stat", "rubbish\n");
  ProcMonitor monitor({.interval = std::chrono::milliseconds(5)}, root_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  sink_.WaitForRows(kProcSource, 5);
  monitor.Stop();
  const auto count = std::count_if(sink_.notes.begin(), sink_.notes.end(), [](const auto& note) {
    return note.find("mm_stat") != std::string::npos;
  });
  EXPECT_EQ(count, 1);
  EXPECT_GE(sink_.Ints(kProcSource, "proc-vmstat.pswpout").size(), 5u);
}

TEST_F(FakeMachineTest, EachTurnTellsHowLateItWas) {
  ProcMonitor monitor({.interval = std::chrono::milliseconds(5)}, root_.path());
  ASSERT_TRUE(monitor.Probe().ok());
  monitor.Start(sink_);
  sink_.WaitForRows(kProcSource, 4);
  monitor.Stop();
  const Ints lateness = sink_.Ints(kProcSource, "agent.sample_lateness");
  // All but the rows of begin and end.
  EXPECT_EQ(lateness.size(), sink_.rows[kProcSource].size() - 2);
  for (const std::int64_t late_us : lateness) EXPECT_GE(late_us, 0);
  const auto& rows = sink_.rows[kProcSource];
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const Row& a, const Row& b) { return a.time < b.time; }));
}

TEST_F(FakeMachineTest, VmstatMakesItsColumnsOfTheRunsTotals) {
  VmstatMonitor monitor(Settings(), root_.path());
  Watch(&monitor, [&] {
    // 30 ticks user, 10 system, 60 idle.
    Write("proc/stat", Stat(130, 60, 1060, 2500));
    Write("proc/vmstat", "pgpgin 100\npgpgout 200\npswpin 10\npswpout 120\n");
  });
  ASSERT_EQ(sink_.rows[kVmstatSource].size(), 1u) << "a run shorter than an interval has one row";
  const auto value = [&](const char* name) { return sink_.Ints(kVmstatSource, name).at(0); };
  EXPECT_EQ(value("vmstat.cpu.us"), 3000) << "in hundredths of a percent";
  EXPECT_EQ(value("vmstat.cpu.sy"), 1000);
  EXPECT_EQ(value("vmstat.cpu.id"), 6000);
  EXPECT_EQ(value("vmstat.procs.r"), 3) << "without the reader, as the tool's";
  EXPECT_EQ(value("vmstat.procs.b"), 2);
  EXPECT_EQ(value("vmstat.memory.swpd"), 30);
  EXPECT_EQ(value("vmstat.memory.cache"), 111) << "with reclaimable slab";
  EXPECT_EQ(value("vmstat.swap.si"), 0);
  EXPECT_GT(value("vmstat.swap.so"), 0);
}

TEST(VmstatRatesTest, RatesAreByTheTimeThatReallyPassed) {
  VmstatCounts before, after;
  after.swapped_out_pages = 512;
  after.pages_in_kib = 300;
  after.stat.context_switches = 1000;
  before.stat.interrupts = 10;  // Fell: a reboot in between, no rate.
  ColumnTable table({.source_id = 1, .name = "t", .metrics = {}});
  table.BeginRow();
  FillVmstatRates({.before = before,
                   .after = after,
                   .elapsed = std::chrono::milliseconds(2000),
                   .page_size_bytes = 4096},
                  &table);
  const Row row = table.TakeRow({});
  const auto value = [&](std::string_view name) {
    for (std::size_t i = 0; i < row.ints.size(); ++i) {
      const model::Metric& metric = table.source().metrics[i];
      if (metric.name == name) return static_cast<double>(row.ints[i]) * metric.scale;
    }
    return -1.0;
  };
  EXPECT_EQ(value("vmstat.swap.so"), 1024) << "512 pages of 4 KiB in 2 s, in KiB/s";
  EXPECT_EQ(value("vmstat.io.bi"), 150);
  EXPECT_EQ(value("vmstat.system.cs"), 500);
  EXPECT_EQ(value("vmstat.system.in"), 0);
}

}  // namespace
}  // namespace regressd::agent
