#include "services/report/lkp_rows.h"

#include <gmock/gmock.h>

namespace regressd::report {
namespace {

using ::testing::ElementsAre;

TEST(IsFunctionalTest, KnowsTheNamesOfLkpsFailures) {
  // lkp.md 2.5.
  for (const auto* name :
       {"dmesg.Oops:#[##]", "last_state.OOM", "stderr.x", "kmsg.p", "stress-ng.swap.fail",
        "iperf.pass", "job.killed_by_oom", "xfstests.generic.001.fail"}) {
    EXPECT_TRUE(IsFunctional(name)) << name;
  }
}

TEST(IsFunctionalTest, LeavesMeasurementsAlone) {
  for (const auto* name :
       {"vm-scalability.throughput", "proc-vmstat.zone_reclaim_failed", "dmesg.timestamp:last",
        "x.time.fail", "perf-profile.children.cycles-pp.error_entry", "net.errors_total"}) {
    EXPECT_FALSE(IsFunctional(name)) << name;
  }
}

TEST(IsResultOfTest, TakesTheTestcasesOwnMetricsWithoutItsTimes) {
  EXPECT_TRUE(IsResultOf("vm-scalability", "vm-scalability.throughput"));
  EXPECT_FALSE(IsResultOf("vm-scalability", "vm-scalability.time.system_time"));
  EXPECT_FALSE(IsResultOf("vm", "vm-scalability.throughput"));
  EXPECT_FALSE(IsResultOf("", ".x"));
}

std::vector<std::string_view> Sorted(std::vector<OrderedRow> rows) {
  SortRows({"vm-scalability"}, &rows);
  std::vector<std::string_view> names;
  for (const OrderedRow& row : rows) names.push_back(row.name);
  return names;
}

TEST(SortRowsTest, PutsTestsFirstThenFamiliesWithFewestRows) {
  EXPECT_THAT(Sorted({{0, "vmstat.b", false, {1}},
                      {1, "vmstat.a", false, {2}},
                      {2, "zzz.a", false, {3}},
                      {3, "vm-scalability.b", false, {4}},
                      {4, "vm-scalability.a", false, {5}}}),
              ElementsAre("vm-scalability.a", "vm-scalability.b", "zzz.a", "vmstat.a", "vmstat.b"));
}

TEST(SortRowsTest, OrdersProfilesByChangeInsideTheirPart) {
  EXPECT_THAT(Sorted({{0, "perf-profile.self.cycles-pp.a", false, {10}},
                      {1, "perf-profile.self.cycles-pp.x", false, {-8}},
                      {2, "perf-profile.children.cycles-pp.z", false, {99}}}),
              ElementsAre("perf-profile.children.cycles-pp.z", "perf-profile.self.cycles-pp.x",
                          "perf-profile.self.cycles-pp.a"));
}

TEST(SortRowsTest, PutsFailuresBeforeEverything) {
  EXPECT_THAT(Sorted({{0, "vm-scalability.a", false, {1}},
                      {1, "dmesg.a", true, {1}},
                      {2, "dmesg.b", true, {1}},
                      {3, "stderr.a", true, {1}}}),
              ElementsAre("stderr.a", "dmesg.a", "dmesg.b", "vm-scalability.a"));
}

}  // namespace
}  // namespace regressd::report
