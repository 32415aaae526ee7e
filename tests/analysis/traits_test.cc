#include <gtest/gtest.h>

#include "services/analysis/blocks.h"
#include "services/model/catalog.h"

namespace regressd::analysis {
namespace {

using model::Better;

TEST(TraitsTest, TakesTheTestcasesOwnResultForAHeadline) {
  const MetricTraits traits =
      TraitsOf(model::Declare("vm-scalability.throughput"), "vm-scalability");
  EXPECT_TRUE(traits.headline);
  EXPECT_EQ(traits.better, Better::kHigher);
  EXPECT_DOUBLE_EQ(traits.min_relative_change, 0.01);
}

TEST(TraitsTest, BelievesARunThatDeclaresADirection) {
  model::Metric metric = model::Declare("page-fault1.touches");
  EXPECT_FALSE(TraitsOf(metric, "page-fault1").headline);
  metric.better = Better::kHigher;
  const MetricTraits traits = TraitsOf(metric, "page-fault1");
  EXPECT_TRUE(traits.headline);
  EXPECT_EQ(traits.better, Better::kHigher);
  EXPECT_DOUBLE_EQ(traits.min_relative_change, 0.01);
  // Another testcase's metric is not this one's result; nobody knows it, so it does not gate.
  EXPECT_FALSE(TraitsOf(metric, "page-fault").headline);
  EXPECT_FALSE(TraitsOf(metric, "page-fault").catalogued);
  EXPECT_FALSE(TraitsOf(metric, "").headline);
  // Declared over catalogued.
  metric = model::Declare("vm-scalability.throughput");
  metric.better = Better::kLower;
  EXPECT_EQ(TraitsOf(metric, "vm-scalability").better, Better::kLower);
  // A workload that gives the slowest and the fastest task calls neither a result to be judged by.
  metric = model::Declare("page-fault1.max_process_ops");
  metric.better = Better::kNeither;
  EXPECT_EQ(TraitsOf(metric, "page-fault1").better, Better::kNeither);
  EXPECT_FALSE(TraitsOf(metric, "page-fault1").headline);
}

TEST(TraitsTest, DoesNotTakeTimeAroundTheWorkloadForItsResult) {
  model::Metric metric = model::Declare("vm-scalability.time.elapsed_time");
  metric.better = Better::kLower;
  EXPECT_FALSE(TraitsOf(metric, "vm-scalability").headline);
}

TEST(TraitsTest, KeepsProfilesAndStrangersFromGating) {
  EXPECT_FALSE(TraitsOf(model::Declare("perf-profile.self.cycles-pp.x"), "t").catalogued);
  EXPECT_FALSE(TraitsOf(model::Declare("turbostat.PkgWatt"), "t").catalogued);
  EXPECT_TRUE(TraitsOf(model::Declare("proc-vmstat.pswpout"), "t").catalogued);
}

TEST(TraitsTest, KnowsThatTotalsMoveByWholeSteps) {
  EXPECT_DOUBLE_EQ(TraitsOf(model::Declare("proc-vmstat.pswpout"), "t").quantum, 1);
  EXPECT_DOUBLE_EQ(TraitsOf(model::Declare("vmstat.swap.so"), "t").quantum, 0);
  EXPECT_DOUBLE_EQ(TraitsOf(model::Declare("perf-stat.i.page-faults"), "t").quantum, 0);
  model::Metric metric = model::Declare("proc-vmstat.pswpout");
  metric.scale = 4096;
  EXPECT_DOUBLE_EQ(TraitsOf(metric, "t").quantum, 4096);
}

}  // namespace
}  // namespace regressd::analysis
