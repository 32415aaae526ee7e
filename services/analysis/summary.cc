#include "services/analysis/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace regressd::analysis {
namespace {

double CompensatedSum(std::span<const double> values) {
  double sum = 0;
  double lost = 0;
  for (const double value : values) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return sum + lost;
}

}  // namespace

Moments Summarize(std::span<const double> values) {
  Moments moments{.count = values.size()};
  if (values.empty()) return moments;
  std::vector<double> scaled(values.begin(), values.end());
  std::sort(scaled.begin(), scaled.end());
  // A common power of two costs no digit and keeps squares from overflow and underflow.
  const double largest = std::max(std::abs(scaled.front()), std::abs(scaled.back()));
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  for (double& value : scaled) value = std::scalbn(value, -exponent);

  const auto count = static_cast<double>(scaled.size());
  // Rounding must not carry the mean of equal values beside them.
  const double mean = std::clamp(CompensatedSum(scaled) / count, scaled.front(), scaled.back());
  moments.mean = std::scalbn(mean, exponent);
  double squares = 0;
  double differences = 0;
  for (const double value : scaled) {
    squares += (value - mean) * (value - mean);
    differences += value - mean;
  }
  squares = std::max(0.0, squares - differences * differences / count);
  moments.population_stddev = std::scalbn(std::sqrt(squares / count), exponent);
  if (scaled.size() > 1) {
    moments.sample_stddev = std::scalbn(std::sqrt(squares / (count - 1)), exponent);
  }
  return moments;
}

bool IsConstant(std::span<const double> values) {
  if (values.empty()) return false;
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double magnitude = std::max(std::abs(*smallest), std::abs(*largest));
  return *largest - *smallest <= 8 * std::numeric_limits<double>::epsilon() * magnitude;
}

}  // namespace regressd::analysis
