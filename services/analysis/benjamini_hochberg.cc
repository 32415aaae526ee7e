#include "services/analysis/benjamini_hochberg.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace regressd::analysis {

std::vector<double> BenjaminiHochberg(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> q_values(p_values.size());
  const auto count = static_cast<double>(p_values.size());
  double smallest_above = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t metric = order[rank - 1];
    smallest_above = std::min(smallest_above, p_values[metric] * count / static_cast<double>(rank));
    q_values[metric] = smallest_above;
  }
  return q_values;
}

}  // namespace regressd::analysis
