#include "services/analysis/reduce.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace regressd::analysis {
namespace {

using model::Metric;
using model::MetricKind;
using model::Reduction;

Metric Gauge(Reduction reduction) {
  return {.name = "m", .unit = "", .kind = MetricKind::kGauge, .reduction = reduction};
}
Metric Counter() {
  return {.name = "m", .unit = "", .kind = MetricKind::kCounter, .reduction = Reduction::kDelta};
}

TEST(SeriesReducerTest, HasNoValueWithoutSamples) {
  for (const Reduction reduction :
       {Reduction::kMean, Reduction::kDelta, Reduction::kSum, Reduction::kMax}) {
    EXPECT_EQ(SeriesReducer(Gauge(reduction)).Value(), std::nullopt);
  }
}

TEST(SeriesReducerTest, AMeanOfTheLargestDoublesIsWithinTheirRange) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  SeriesReducer same(Gauge(Reduction::kMean));
  for (int i = 0; i < 3; ++i) same.AddDouble(kLargest);
  EXPECT_EQ(same.Value(), kLargest);
  // Their sum leaves the range on the way, and comes back.
  SeriesReducer back(Gauge(Reduction::kSum));
  for (const double value : {1e308, 1e308, -1e308}) back.AddDouble(value);
  EXPECT_EQ(back.Value(), 1e308);
}

TEST(SeriesReducerTest, ASumBeyondTheRangeIsInfinite) {
  SeriesReducer reducer(Gauge(Reduction::kSum));
  for (int i = 0; i < 2; ++i) reducer.AddDouble(1e308);
  EXPECT_EQ(reducer.Value(), std::numeric_limits<double>::infinity());
}

TEST(SeriesReducerTest, ACounterWithOneReadingHasNoDifference) {
  SeriesReducer reducer(Counter());
  reducer.AddInt(5);
  EXPECT_EQ(reducer.Value(), std::nullopt);
  EXPECT_EQ(reducer.sample_count(), 1);
}

TEST(SeriesReducerTest, CountsACounterOverAReset) {
  // By hand: 100 to 150 is 50; the reset loses what came after 150; then 0 to 7 and 7 to 10.
  SeriesReducer reducer(Counter());
  for (const std::int64_t total : {100, 150, 7, 10}) reducer.AddInt(total);
  EXPECT_EQ(reducer.Value(), 60);
}

TEST(SeriesReducerTest, ACounterMayPassTheSignBit) {
  // 2^63 - 1 to 2^63 + 1: two more, no reset.
  SeriesReducer reducer(Counter());
  reducer.AddInt(std::numeric_limits<std::int64_t>::max());
  reducer.AddInt(std::numeric_limits<std::int64_t>::min() + 1);
  EXPECT_EQ(reducer.Value(), 2);
}

TEST(SeriesReducerTest, ADifferenceOfLargeTotalsIsExact) {
  // Both totals round to the same double, 2^62.
  SeriesReducer reducer(Counter());
  reducer.AddInt(std::int64_t{1} << 62);
  reducer.AddInt((std::int64_t{1} << 62) + 3);
  EXPECT_EQ(reducer.Value(), 3);
}

TEST(SeriesReducerTest, MeansIntegersInTheMetricsUnit) {
  Metric metric = Gauge(Reduction::kMean);
  metric.scale = 0.01;
  SeriesReducer reducer(metric);
  for (const std::int64_t hundredths : {-150, 250, 800}) reducer.AddInt(hundredths);
  // Python: 900 / 3 * 0.01.
  EXPECT_DOUBLE_EQ(reducer.Value().value(), 3.0);
}

TEST(SeriesReducerTest, ACountersMeanTakesItAsUnsigned) {
  Metric metric = Counter();
  metric.reduction = Reduction::kMean;
  SeriesReducer reducer(metric);
  reducer.AddInt(-1);
  EXPECT_EQ(reducer.Value(), 18446744073709551616.0);  // 2^64 - 1, rounded
}

TEST(SeriesReducerTest, AMeanKeepsSmallValuesBesideLargeOnes) {
  // Python: statistics.fmean([1.0, 1e100, 1.0, -1e100]) == 0.5; plain summation gives 0.
  SeriesReducer reducer(Gauge(Reduction::kMean));
  for (const double value : {1.0, 1e100, 1.0, -1e100}) reducer.AddDouble(value);
  EXPECT_EQ(reducer.Value(), 0.5);
}

TEST(SeriesReducerTest, SumsTheCountsOfIntervals) {
  // Python: sum([3, 0, 4]).
  SeriesReducer reducer(
      {.name = "m", .unit = "", .kind = MetricKind::kDelta, .reduction = Reduction::kSum});
  for (const std::int64_t count : {3, 0, 4}) reducer.AddInt(count);
  EXPECT_EQ(reducer.Value(), 7);
}

TEST(SeriesReducerTest, TheLargestMayBeNegative) {
  SeriesReducer reducer(Gauge(Reduction::kMax));
  for (const double value : {-3.0, -1.5, -2.0}) reducer.AddDouble(value);
  EXPECT_EQ(reducer.Value(), -1.5);
}

}  // namespace
}  // namespace regressd::analysis
