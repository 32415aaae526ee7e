#include "services/analysis/absent_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "services/model/catalog.h"

namespace regressd::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kFirst[] = "perf-profile.self.cycles-pp.do_swap_page";
constexpr char kSecond[] = "perf-profile.self.cycles-pp.shrink_list";

model::MetricValues Values(const std::string& name, std::vector<double> values,
                           std::vector<std::int32_t> run_index) {
  return {.metric = model::Declare(name),
          .values = std::move(values),
          .run_index = std::move(run_index)};
}

const model::MetricValues* Find(const model::RunGroup& group, std::string_view name) {
  for (const model::MetricValues& metric : group.metrics) {
    if (metric.metric.name == name) return &metric;
  }
  return nullptr;
}

TEST(AbsentSharesTest, ARunWithAProfileHasNoneOfWhatItsProfileLacks) {
  std::array<model::RunGroup, 2> groups;
  groups[0].metrics = {Values(kFirst, {3, 4, 5}, {0, 1, 2}), Values(kSecond, {7}, {1})};
  groups[1].metrics = {Values(kFirst, {6}, {0})};
  FillAbsentShares(groups);
  EXPECT_THAT(Find(groups[0], kSecond)->values, ElementsAre(0, 7, 0));
  EXPECT_THAT(Find(groups[0], kSecond)->run_index, ElementsAre(0, 1, 2));
  EXPECT_THAT(Find(groups[0], kFirst)->values, ElementsAre(3, 4, 5));
  ASSERT_NE(Find(groups[1], kSecond), nullptr) << "a share that only the base has";
  EXPECT_THAT(Find(groups[1], kSecond)->values, ElementsAre(0));
  EXPECT_EQ(Find(groups[1], kSecond)->metric.unit, "%");
}

TEST(AbsentSharesTest, ARunWithoutAProfileOfTheEventHasNoShares) {
  std::array<model::RunGroup, 2> groups;
  groups[0].metrics = {Values(kFirst, {3}, {1})};  // Run 0 was not profiled.
  groups[1].metrics = {Values("perf-profile.self.cpu-clock.shrink_list", {2}, {0})};
  FillAbsentShares(groups);
  EXPECT_THAT(Find(groups[0], kFirst)->values, ElementsAre(3));
  EXPECT_EQ(Find(groups[0], "perf-profile.self.cpu-clock.shrink_list"), nullptr);
  EXPECT_EQ(Find(groups[1], kFirst), nullptr);
}

TEST(AbsentSharesTest, OtherMetricsStayMissing) {
  std::array<model::RunGroup, 2> groups;
  groups[0].metrics = {Values("proc-vmstat.pswpout", {3}, {1}), Values("vmstat.swap.so", {1}, {0})};
  FillAbsentShares(groups);
  EXPECT_THAT(Find(groups[0], "proc-vmstat.pswpout")->values, ElementsAre(3));
  EXPECT_THAT(groups[1].metrics, IsEmpty());
}

TEST(AbsentSharesTest, MetricsStandInTheOrderOfTheirNames) {
  std::array<model::RunGroup, 2> groups;
  groups[0].metrics = {Values(kFirst, {3}, {0}), Values("vmstat.swap.so", {1}, {0})};
  groups[1].metrics = {Values(kSecond, {3}, {0}), Values("vmstat.swap.so", {1}, {0})};
  FillAbsentShares(groups);
  for (const model::RunGroup& group : groups) {
    ASSERT_EQ(group.metrics.size(), 3U);
    EXPECT_EQ(group.metrics[0].metric.name, kFirst);
    EXPECT_EQ(group.metrics[1].metric.name, kSecond);
  }
}

}  // namespace
}  // namespace regressd::analysis
