#include "services/analysis/reduce_observations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "services/analysis/reduce.h"

namespace regressd::analysis {
namespace {

constexpr std::array<std::size_t, 4> kPercents = {50, 90, 95, 99};
constexpr std::size_t kMinObservationsBeyond = 10;

double Mean(const std::vector<double>& values) {
  SeriesReducer reducer(model::Metric{});  // Whose reduction is the mean.
  for (const double value : values) reducer.AddDouble(value);
  return reducer.Value().value_or(0);
}

// Squares leave the range long before their roots do: such values are measured in larger units.
double UnitOf(const std::vector<double>& values) {
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return std::max(std::abs(*least), std::abs(*largest)) > 0x1p500 ? 0x1p600 : 1;
}

// Two passes: the sum-of-squares shortcut loses a small spread on a large mean.
double SampleStddev(const std::vector<double>& values, double mean) {
  const double unit = UnitOf(values);
  double sum_of_squares = 0;
  for (const double value : values) {
    const double deviation = value / unit - mean / unit;
    sum_of_squares += deviation * deviation;
  }
  return std::sqrt(sum_of_squares / static_cast<double>(values.size() - 1)) * unit;
}

// In whole percents, so that (n-1)p is exact and a rank never slips by a rounding of p.
double Quantile(std::vector<double>& values, std::size_t percent) {
  const std::size_t position = (values.size() - 1) * percent;
  const auto lower = values.begin() + static_cast<std::ptrdiff_t>(position / 100);
  std::nth_element(values.begin(), lower, values.end());
  const double fraction = static_cast<double>(position % 100) / 100;
  if (fraction == 0) return *lower;
  const double upper = *std::min_element(lower + 1, values.end());
  const double distance = upper - *lower;
  if (std::isinf(distance)) return *lower * (1 - fraction) + upper * fraction;
  return *lower + fraction * distance;
}

model::Metric Derived(const model::Metric& metric, std::string_view suffix) {
  model::Metric derived = metric;
  derived.name.append(suffix);
  derived.reduction = model::Reduction::kMean;
  return derived;
}

}  // namespace

std::vector<ObservationValue> ReduceObservations(const model::Metric& metric,
                                                 std::vector<double>& observations) {
  std::vector<ObservationValue> values;
  if (observations.empty()) return values;
  const auto count = static_cast<std::int64_t>(observations.size());
  const auto add = [&](model::Metric derived, double value) {
    values.push_back({std::move(derived), value, count});
  };

  const double mean = Mean(observations);
  add(Derived(metric, ""), mean);
  if (observations.size() >= 2) {
    model::Metric spread = Derived(metric, ".stddev");
    if (spread.better != model::Better::kNeither) spread.better = model::Better::kLower;
    add(std::move(spread), SampleStddev(observations, mean));
  }
  for (const std::size_t percent : kPercents) {
    if (observations.size() * (100 - percent) < kMinObservationsBeyond * 100) continue;
    add(Derived(metric, ".p" + std::to_string(percent)), Quantile(observations, percent));
  }
  model::Metric largest = Derived(metric, ".max");
  largest.reduction = model::Reduction::kMax;
  add(std::move(largest), *std::max_element(observations.begin(), observations.end()));
  return values;
}

}  // namespace regressd::analysis
