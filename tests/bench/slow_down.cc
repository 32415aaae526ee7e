#include "tests/bench/slow_down.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "services/analysis/rank_test.h"

namespace regressd::bench {
namespace {

constexpr double kMaxPValue = 0.05;

std::vector<double> Logarithms(std::span<const double> rates) {
  std::vector<double> logarithms;
  for (const double rate : rates) logarithms.push_back(std::log(rate));
  return logarithms;
}

std::vector<double> SortedDifferences(const std::vector<double>& base,
                                      const std::vector<double>& head) {
  std::vector<double> differences;
  for (const double b : base) {
    for (const double h : head) differences.push_back(h - b);
  }
  std::sort(differences.begin(), differences.end());
  return differences;
}

/// What the test says of "head is base + shift".
double PValueOfShift(std::vector<double> base, const std::vector<double>& head, double shift) {
  for (double& value : base) value += shift;
  return analysis::MannWhitneyPValue({.base = base, .head = head});
}

/// Place in the sorted differences of the lower end of the interval; the upper one lies as far from
/// the other end. The p of a shift depends only on how many differences lie below it, and grows
/// with them up to the middle.
std::size_t LowerEnd(const std::vector<double>& base, const std::vector<double>& head,
                     const std::vector<double>& differences) {
  std::size_t rejected = 0;
  std::size_t accepted = differences.size() / 2;
  while (accepted - rejected > 1) {
    const std::size_t below = rejected + (accepted - rejected) / 2;
    const double shift = std::midpoint(differences[below - 1], differences[below]);
    (PValueOfShift(base, head, shift) > kMaxPValue ? accepted : rejected) = below;
  }
  return accepted - 1;
}

double LossPercent(double log_shift) { return -100 * std::expm1(log_shift); }

}  // namespace

bool SlowDown::Distinguishable() const {
  return low_percent && high_percent && (*low_percent > 0 || *high_percent < 0);
}

SlowDown CompareRates(std::span<const double> without, std::span<const double> with) {
  const std::vector<double> base = Logarithms(without);
  const std::vector<double> head = Logarithms(with);
  SlowDown result{
      .percent = LossPercent(analysis::HodgesLehmannShift({.base = base, .head = head})),
      .low_percent = {},
      .high_percent = {},
      .p_value = analysis::MannWhitneyPValue({.base = base, .head = head})};
  if (analysis::SmallestRankPValue(base.size(), head.size()) > kMaxPValue) return result;
  const std::vector<double> differences = SortedDifferences(base, head);
  const std::size_t lower = LowerEnd(base, head, differences);
  // The largest shift of the rate is the smallest loss.
  result.low_percent = LossPercent(differences[differences.size() - 1 - lower]);
  result.high_percent = LossPercent(differences[lower]);
  return result;
}

}  // namespace regressd::bench
