#include "services/analysis/reduce_observations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace regressd::analysis {
namespace {

using model::Better;
using model::Metric;

const Metric kLatency = {.name = "sparsetruncate.latency", .unit = "us", .better = Better::kLower};

std::map<std::string, ObservationValue> Reduce(const Metric& metric, std::vector<double> values) {
  std::map<std::string, ObservationValue> by_name;
  for (ObservationValue& value : ReduceObservations(metric, values)) {
    by_name.emplace(value.metric.name, value);
  }
  return by_name;
}

std::vector<double> Shuffled(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back(i * i);
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  return values;
}

TEST(ReduceObservationsTest, NothingGivesNothing) { EXPECT_TRUE(Reduce(kLatency, {}).empty()); }

TEST(ReduceObservationsTest, HugeObservationsHaveFiniteValues) {
  // Python 3.11: statistics.stdev([-1, 1] * 10) = 1.0259783520851542, of 1e308 and -1e308 so many
  // times; the median lies halfway between them.
  std::vector<double> huge;
  for (int i = 0; i < 10; ++i) huge.insert(huge.end(), {1e308, -1e308});
  const auto values = Reduce(kLatency, huge);
  EXPECT_EQ(values.at("sparsetruncate.latency").value, 0);
  EXPECT_NEAR(values.at("sparsetruncate.latency.stddev").value / 1e308, 1.0259783520851542, 1e-14);
  EXPECT_EQ(values.at("sparsetruncate.latency.p50").value, 0);
}

TEST(ReduceObservationsTest, OneObservationHasNoSpread) {
  const auto values = Reduce(kLatency, {7});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values.at("sparsetruncate.latency").value, 7);
  EXPECT_EQ(values.at("sparsetruncate.latency.max").value, 7);
}

TEST(ReduceObservationsTest, SpreadDividesBySizeLessOne) {
  // Python 3.11: statistics.stdev([2, 4, 4, 4, 5, 5, 7, 9]); pstdev would give 2.0.
  const auto values = Reduce(kLatency, {2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_NEAR(values.at("sparsetruncate.latency.stddev").value, 2.138089935299395, 1e-12);
  EXPECT_EQ(values.at("sparsetruncate.latency").value, 5);
}

TEST(ReduceObservationsTest, QuantilesAreThoseOfTypeSeven) {
  // Python 3.11: statistics.quantiles([i * i for i in range(1, 1001)], n=100, method="inclusive"),
  // entries 49, 89, 94, 98, which is R's quantile(..., type = 7).
  const auto values = Reduce(kLatency, Shuffled(1000));
  EXPECT_NEAR(values.at("sparsetruncate.latency.p50").value, 250500.5, 1e-9);
  EXPECT_NEAR(values.at("sparsetruncate.latency.p90").value, 810180.1, 1e-9);
  EXPECT_NEAR(values.at("sparsetruncate.latency.p95").value, 902595.05, 1e-9);
  EXPECT_NEAR(values.at("sparsetruncate.latency.p99").value, 980119.81, 1e-9);
  EXPECT_EQ(values.at("sparsetruncate.latency.max").value, 1000000);
  EXPECT_EQ(values.at("sparsetruncate.latency.p99").observation_count, 1000);
}

TEST(ReduceObservationsTest, AQuantileNeedsTenObservationsBeyondIt) {
  EXPECT_EQ(Reduce(kLatency, Shuffled(19)).count("sparsetruncate.latency.p50"), 0U);
  EXPECT_EQ(Reduce(kLatency, Shuffled(20)).count("sparsetruncate.latency.p50"), 1U);
  // 100 * (1 - 0.9) is 9.999... in doubles.
  EXPECT_EQ(Reduce(kLatency, Shuffled(100)).count("sparsetruncate.latency.p90"), 1U);
  EXPECT_EQ(Reduce(kLatency, Shuffled(199)).count("sparsetruncate.latency.p95"), 0U);
  EXPECT_EQ(Reduce(kLatency, Shuffled(999)).count("sparsetruncate.latency.p99"), 0U);
}

TEST(ReduceObservationsTest, ANarrowerSpreadIsBetterWhicheverWayTheMetricPoints) {
  const Metric rate = {.name = "rate", .unit = "1/s", .better = Better::kHigher};
  const auto values = Reduce(rate, Shuffled(1000));
  EXPECT_EQ(values.at("rate.p99").metric.better, Better::kHigher);
  EXPECT_EQ(values.at("rate.stddev").metric.better, Better::kLower);
  EXPECT_EQ(values.at("rate.stddev").metric.unit, "1/s");
  const Metric neither = {.name = "n", .unit = "", .better = Better::kNeither};
  EXPECT_EQ(Reduce(neither, {1, 2}).at("n.stddev").metric.better, Better::kNeither);
}

}  // namespace
}  // namespace regressd::analysis
