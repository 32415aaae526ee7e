#include "services/analysis/permutation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "services/analysis/summary.h"

namespace regressd::analysis {
namespace {

constexpr double kMaxAssignments = 200'000;

double AssignmentCount(std::size_t total, std::size_t chosen) {
  double count = 1;
  for (std::size_t i = 1; i <= chosen && count <= kMaxAssignments; ++i) {
    count *= static_cast<double>(total - chosen + i) / static_cast<double>(i);
  }
  return std::round(count);
}

// The next subset of `chosen.size()` of the numbers below `total`, in lexicographic order.
bool NextSubset(std::vector<std::size_t>& chosen, std::size_t total) {
  const std::size_t size = chosen.size();
  for (std::size_t i = size; i-- > 0;) {
    if (chosen[i] + (size - i) >= total) continue;
    ++chosen[i];
    for (std::size_t k = i + 1; k < size; ++k) chosen[k] = chosen[k - 1] + 1;
    return true;
  }
  return false;
}

}  // namespace

std::optional<double> MeanDifferencePermutationPValue(const RankedSides& sides) {
  const std::size_t head_count = sides.head.size();
  const std::size_t total = sides.base.size() + head_count;
  if (sides.base.empty() || sides.head.empty()) return std::nullopt;
  if (AssignmentCount(total, head_count) > kMaxAssignments) return std::nullopt;

  std::vector<double> values(sides.head.begin(), sides.head.end());
  values.insert(values.end(), sides.base.begin(), sides.base.end());
  // With the common mean taken away, the difference of means is a multiple of the head's sum.
  const double mean = Summarize(values).mean;
  double magnitude = 0;
  for (double& value : values) {
    magnitude = std::max(magnitude, std::abs(value));
    value -= mean;
  }
  std::vector<std::size_t> chosen(head_count);
  for (std::size_t i = 0; i < head_count; ++i) chosen[i] = i;
  const auto head_sum = [&] {
    double sum = 0;
    for (const std::size_t i : chosen) sum += values[i];
    return sum;
  };
  // Sums that are equal on paper differ by the rounding of the values themselves.
  const double rounding =
      16 * std::numeric_limits<double>::epsilon() * magnitude * static_cast<double>(head_count);
  const double observed = std::abs(head_sum()) - rounding;
  std::int64_t all = 0;
  std::int64_t as_far = 0;
  do {
    ++all;
    if (std::abs(head_sum()) >= observed) ++as_far;
  } while (NextSubset(chosen, total));
  return static_cast<double>(as_far) / static_cast<double>(all);
}

}  // namespace regressd::analysis
