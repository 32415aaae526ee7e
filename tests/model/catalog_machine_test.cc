#include <gtest/gtest.h>

#include <string>

#include "services/model/catalog.h"

namespace regressd::model {
namespace {

TEST(CatalogMachineTest, TellsTotalsFromLevelsOfDisksZonesAndSwap) {
  // lkp.md 2.3: diskstats' ticks and ios and interrupts are differenced; Documentation/admin-guide
  // of the kernel: iostats.rst, blockdev/zram.rst, cgroup-v2.rst.
  for (const char* name :
       {"diskstats.read_ios.sda", "diskstats.io_ticks.sda", "interrupts.LOC:Local_timer_interrupts",
        "schedstat.run_delay", "zram.zram0.notify_free", "zram.zram0.pages_compacted",
        "zswap.pool_limit_hit", "cgroup.memory.stat.pgfault",
        "cgroup.memory.stat.workingset_refault_anon", "cgroup.memory.events.oom_kill",
        "cgroup.memory.pressure.some.total", "cgroup.memory.failcnt"}) {
    const CatalogEntry entry = Lookup(name);
    EXPECT_EQ(entry.kind, MetricKind::kCounter) << name;
    EXPECT_EQ(entry.reduction, Reduction::kDelta) << name;
    EXPECT_FALSE(entry.known) << name << " explains and never gates";
  }
  for (const char* name :
       {"diskstats.in_flight.sda", "zoneinfo.node0.Normal.pages.free", "swaps.zram0.used",
        "zram.zram0.compr_data_size", "zswap.stored_pages", "cgroup.memory.stat.anon",
        "cgroup.memory.stat.total_rss", "cgroup.memory.current"}) {
    EXPECT_EQ(Lookup(name).kind, MetricKind::kGauge) << name;
    EXPECT_EQ(Lookup(name).reduction, Reduction::kMean) << name;
  }
}

TEST(CatalogMachineTest, GivesTheUnitsThatTheFilesAreIn) {
  EXPECT_EQ(Lookup("diskstats.read_sectors.sda").unit, "sectors");
  EXPECT_EQ(Lookup("diskstats.write_ticks.sda").unit, "ms");
  EXPECT_EQ(Lookup("schedstat.run_delay").unit, "ns");
  EXPECT_EQ(Lookup("swaps.zram0.used").unit, "KiB");
  EXPECT_EQ(Lookup("zram.zram0.mem_used_total").unit, "bytes");
  EXPECT_EQ(Lookup("cgroup.memory.stat.anon").unit, "bytes");
  EXPECT_EQ(Lookup("zoneinfo.node0.Normal.pages.low").unit, "pages");
  EXPECT_EQ(Lookup("perf-lock.contention.lru_lock.total_wait").unit, "us/s");
}

TEST(CatalogMachineTest, TheWorstLatenessOfARunCountsAndAllMissedSamples) {
  EXPECT_EQ(Lookup("agent.sample_lateness").reduction, Reduction::kMax);
  EXPECT_EQ(Lookup("agent.samples_missed").reduction, Reduction::kSum);
}

TEST(CatalogMachineTest, AShareOfCountingIsNoResult) {
  EXPECT_FALSE(Lookup("perf-stat.i.cycles.running%").known);
  EXPECT_TRUE(Lookup("perf-stat.i.cycles").known);
}

}  // namespace
}  // namespace regressd::model
