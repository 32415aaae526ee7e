#include "services/analysis/measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "services/analysis/rank_test.h"

namespace regressd::analysis {
namespace {

constexpr std::size_t kMinRunsPerSide = 3;
// Nothing that is measured is larger; differences of larger numbers would overflow.
constexpr double kAbsurd = 1e300;

std::vector<double> UsableValues(std::span<const double> values) {
  std::vector<double> usable;
  usable.reserve(values.size());
  for (const double value : values) {
    if (std::abs(value) <= kAbsurd) usable.push_back(value);  // False for NaN, too.
  }
  return usable;
}

Moments WithRounding(Moments moments, double quantum) {
  moments.sample_stddev = std::max(moments.sample_stddev, std::abs(quantum) / std::sqrt(12.0));
  return moments;
}

Standing StandingOf(const RankedSides& sides) {
  if (sides.base.empty()) return Standing::kMissing;
  if (sides.head.empty()) return Standing::kGone;
  if (std::min(sides.base.size(), sides.head.size()) < kMinRunsPerSide) {
    return Standing::kInsufficient;
  }
  if (!IsConstant(sides.base) || !IsConstant(sides.head)) return Standing::kTestable;
  const double ends[] = {sides.base.front(), sides.head.front()};
  return IsConstant(ends) ? Standing::kIdentical : Standing::kWithoutSpread;
}

}  // namespace

Measurement Measure(const MetricRepeats& metric) {
  const std::vector<double> base = UsableValues(metric.base);
  const std::vector<double> head = UsableValues(metric.head);
  const RankedSides sides{.base = base, .head = head};
  Measurement measured;
  measured.standing = StandingOf(sides);
  measured.base = Summarize(base);
  measured.head = Summarize(head);
  if (base.empty() || head.empty()) return measured;

  measured.base_is_zero =
      std::all_of(base.begin(), base.end(), [](double value) { return value == 0; });
  measured.absolute_change = measured.head.mean - measured.base.mean;
  const double relative = measured.absolute_change / std::abs(measured.base.mean);
  if (std::isfinite(relative)) measured.relative_change = relative;
  if (measured.standing == Standing::kIdentical) {
    measured.rank_p_value = 1;
    measured.shift = 0;
    return measured;
  }
  measured.rank_p_value = MannWhitneyPValue(sides);
  measured.shift = HodgesLehmannShift(sides);
  if (measured.standing != Standing::kWithoutSpread) {
    measured.t_test = CautiousTTest(WithRounding(measured.base, metric.traits.quantum),
                                    WithRounding(measured.head, metric.traits.quantum));
  }
  return measured;
}

}  // namespace regressd::analysis
