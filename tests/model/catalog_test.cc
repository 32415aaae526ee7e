#include "services/model/catalog.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/shared_data.h"

namespace regressd::model {
namespace {

TEST(CatalogTest, TellsRunningTotalsFromLevelsAsTheKernelDoes) {
  // mm/vmstat.c of Linux 6.18: names after "enum node_stat_item counters" that are only ever
  // incremented (nr_dirtied, nr_written, ...), all vm_event names, and levels.
  for (const char* name : {"nr_dirtied", "nr_written", "nr_vmscan_write", "nr_foll_pin_acquired",
                           "nr_tlb_remote_flush", "numa_hit", "workingset_refault_anon",
                           "pgpromote_success", "pswpout", "allocstall_movable", "pgalloc_dma32",
                           "swpin_zero", "zswpwb", "drop_slab", "kstack_rest", "vma_lock_miss"}) {
    const CatalogEntry entry = Lookup(std::string("proc-vmstat.") + name);
    EXPECT_TRUE(entry.known) << name;
    EXPECT_EQ(entry.kind, MetricKind::kCounter) << name;
    EXPECT_EQ(entry.reduction, Reduction::kDelta) << name;
  }
  for (const char* name :
       {"nr_free_pages", "nr_dirty_threshold", "nr_swapcached", "workingset_nodes",
        "nr_isolated_anon", "nr_memmap_boot_pages", "nr_pages_scanned"}) {
    const CatalogEntry entry = Lookup(std::string("proc-vmstat.") + name);
    EXPECT_TRUE(entry.known) << name;
    EXPECT_EQ(entry.kind, MetricKind::kGauge) << name;
    EXPECT_EQ(entry.reduction, Reduction::kMean) << name;
  }
}

TEST(CatalogTest, KnowsThePerZoneNamesOfOldKernels) {
  // Linux 4.2: pgscan_kswapd_dma32 beside 6.x's pgscan_kswapd.
  for (const char* name : {"pgscan_kswapd_dma32", "pgsteal_direct_normal", "pgrefill_movable"}) {
    EXPECT_TRUE(Lookup(std::string("proc-vmstat.") + name).known) << name;
  }
}

TEST(CatalogTest, GuessesNamesOfComingKernelsAndSaysSo) {
  const CatalogEntry level = Lookup("proc-vmstat.nr_gpu_something");
  EXPECT_FALSE(level.known);
  EXPECT_EQ(level.kind, MetricKind::kGauge);
  const CatalogEntry total = Lookup("proc-vmstat.pgfrobnicated");
  EXPECT_FALSE(total.known);
  EXPECT_EQ(total.kind, MetricKind::kCounter);
  EXPECT_EQ(total.reduction, Reduction::kDelta);
}

TEST(CatalogTest, GivesTheUnitsThatTheKernelCountsIn) {
  // Documentation/admin-guide/mm and vm_event_item.h: pgpgin is in KiB, pswpin in pages.
  EXPECT_EQ(Lookup("proc-vmstat.pgpgin").unit, "KiB");
  EXPECT_EQ(Lookup("proc-vmstat.pswpin").unit, "pages");
  EXPECT_EQ(Lookup("proc-vmstat.pgfault").unit, "");
  EXPECT_EQ(Lookup("meminfo.Active(anon)").unit, "kB");
  EXPECT_EQ(Lookup("meminfo.HugePages_Total").unit, "");
  EXPECT_EQ(Lookup("pressure.memory.some.total").unit, "us");
  EXPECT_EQ(Lookup("pressure.io.full.avg300").unit, "%");
  EXPECT_EQ(Lookup("vmstat.swap.so").unit, "KiB/s");
}

TEST(CatalogTest, GivesResultsOfWorkloadsTheirDirection) {
  // lkp.md 6 and mmtests.md 2.
  struct Case {
    const char* name;
    Better better;
  };
  for (const auto& [name, better] : std::vector<Case>{
           {"vm-scalability.throughput", Better::kHigher},
           {"vm-scalability.median", Better::kHigher},
           {"will-it-scale.8.processes", Better::kNeither},
           {"will-it-scale.per_process_ops", Better::kHigher},
           {"will-it-scale.scalability", Better::kHigher},
           {"stress-ng.vm.ops_per_sec", Better::kHigher},
           {"pft.faults_per_sec_per_cpu", Better::kHigher},
           {"pmbench.throughput.aps", Better::kHigher},
           {"pmbench.latency.ns.average", Better::kLower},
           {"kbuild.buildtime_per_iteration", Better::kLower},
           {"kernbench.elsp-8", Better::kLower},
           {"wis-pf.page_fault1-processes-88", Better::kHigher},
           {"wis-pf.page_fault1-threads-4", Better::kHigher},
           {"vm-scalability.migrate_mbps", Better::kHigher},
           {"sparsetruncate.Time", Better::kLower},
           {"exit-free.duration", Better::kLower},
           {"swapout.per_page_us", Better::kLower},
       }) {
    const CatalogEntry entry = Lookup(name);
    EXPECT_TRUE(entry.known) << name;
    EXPECT_EQ(entry.better, better) << name;
    EXPECT_EQ(entry.headline, better != Better::kNeither) << name;
  }
}

TEST(CatalogTest, GivesMonitorsAndTimesNoDirection) {
  // lkp.md 6: "vmstat.*, proc-vmstat.*, meminfo.*, perf-* and time.* have no direction in LKP".
  for (const char* name :
       {"vmstat.swap.so", "vmstat.system.cs", "proc-vmstat.pswpout", "proc-vmstat.pgfault",
        "meminfo.MemFree", "perf-stat.i.page-faults", "perf-profile.self.cycles-pp.clear_page",
        "vm-scalability.time.elapsed_time", "time.system_time", "pressure.cpu.some.total"}) {
    EXPECT_EQ(Lookup(name).better, Better::kNeither) << name;
    EXPECT_FALSE(Lookup(name).headline) << name;
    EXPECT_TRUE(Lookup(name).known) << name;
  }
}

TEST(CatalogTest, CallsWaitingForMemoryWorse) {
  EXPECT_EQ(Lookup("pressure.memory.full.total").better, Better::kLower);
  EXPECT_EQ(Lookup("proc-vmstat.allocstall_normal").better, Better::kLower);
  EXPECT_EQ(Lookup("proc-vmstat.oom_kill").better, Better::kLower);
}

TEST(CatalogTest, SetsThresholdsByKind) {
  // detection.md a.1: proc-vmstat and perf counters 5 %, headlines 1 %, shares 0.5 points;
  // lkp.md 4.4: elapsed_time at least 10 s and 5 s apart, proc-vmstat 1000, nr_* 100.
  EXPECT_DOUBLE_EQ(Lookup("proc-vmstat.pgfault").min_relative_change, 0.05);
  EXPECT_DOUBLE_EQ(Lookup("proc-vmstat.pgfault").min_level, 1000);
  EXPECT_DOUBLE_EQ(Lookup("proc-vmstat.nr_dirty").min_level, 100);
  EXPECT_DOUBLE_EQ(Lookup("perf-stat.i.page-faults").min_relative_change, 0.05);
  EXPECT_DOUBLE_EQ(Lookup("vm-scalability.throughput").min_relative_change, 0.01);
  EXPECT_DOUBLE_EQ(Lookup("perf-profile.self.cycles-pp.x").min_absolute_change, 0.5);
  EXPECT_DOUBLE_EQ(Lookup("x.time.elapsed_time").min_level, 10);
  EXPECT_DOUBLE_EQ(Lookup("x.time.elapsed_time").min_absolute_change, 5);
  EXPECT_DOUBLE_EQ(Lookup("anything.else").min_relative_change, 0.02);
}

TEST(CatalogTest, DoesNotKnowStrangers) {
  for (const char* name :
       {"", ".", "x", "vmstat.", "vmstat.other.zz", "pressure.memory", "pressure.gpu.some.total",
        "turbostat.PkgWatt", "foo.bar", "x.time.zz", "meminfo.New", "iostat.sda.w/s"}) {
    EXPECT_FALSE(Lookup(name).known) << name;
    EXPECT_EQ(Lookup(name).better, Better::kNeither) << name;
  }
}

TEST(CatalogTest, DeclaresAMetricUnderItsFullName) {
  const Metric metric = Declare("proc-vmstat.pswpout");
  EXPECT_EQ(metric.name, "proc-vmstat.pswpout");
  EXPECT_EQ(metric.unit, "pages");
  EXPECT_EQ(metric.kind, MetricKind::kCounter);
  EXPECT_EQ(metric.reduction, Reduction::kDelta);
  EXPECT_DOUBLE_EQ(metric.scale, 1);
}

TEST(CatalogCorpusTest, ClassifiesARealReadingAsItsExpectationSays) {
  const auto corpus = support::SharedDir("corpus");
  if (!corpus) GTEST_SKIP() << support::NoSharedData("corpus");
  int checked = 0;
  for (const auto& file : std::filesystem::directory_iterator(*corpus / "procvmstat")) {
    if (!file.path().string().ends_with(".expected.json")) continue;
    const auto expected = support::ReadJson(file.path());
    if (!expected.contains("class")) continue;
    for (const auto& [name, kind] : expected["class"].items()) {
      EXPECT_EQ(ToString(Lookup("proc-vmstat." + name).kind), kind.get<std::string>()) << name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 8);
}

TEST(CatalogCorpusTest, KnowsEveryNameOfTheRealReadings) {
  const auto corpus = support::SharedDir("corpus");
  if (!corpus) GTEST_SKIP() << support::NoSharedData("corpus");
  for (const char* file : {"01-linux-4.2.txt", "02-linux-6.18.txt"}) {
    std::ifstream in(*corpus / "procvmstat" / file);
    std::string name;
    std::string value;
    int count = 0;
    while (in >> name >> value) {
      EXPECT_TRUE(Lookup("proc-vmstat." + name).known) << name;
      ++count;
    }
    EXPECT_GT(count, 20);
  }
}

}  // namespace
}  // namespace regressd::model
