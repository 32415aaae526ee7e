#include "services/analysis/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace regressd::analysis {
namespace {

// The sum of all the largest doubles that a count can count fits in this unit. Exact, but for what
// is too small beside such a sum to count.
constexpr double kLargeUnit = 0x1p64;

}  // namespace

SeriesReducer::SeriesReducer(const model::Metric& metric)
    : reduction_(metric.reduction),
      scale_(metric.scale),
      is_counter_(metric.kind == model::MetricKind::kCounter) {}

void SeriesReducer::AddInt(std::int64_t stored) {
  is_int_ = true;
  const auto bits = static_cast<std::uint64_t>(stored);
  if (sample_count_ > 0) {
    // Only a total that is known to be unsigned may pass 2^63; anything else compares as signed.
    const bool reset =
        is_counter_ ? bits < last_int_ : stored < static_cast<std::int64_t>(last_int_);
    int_delta_ += reset ? bits : bits - last_int_;
  }
  last_int_ = bits;
  const double value = is_counter_ ? static_cast<double>(bits) : static_cast<double>(stored);
  max_ = sample_count_ == 0 ? value : std::max(max_, value);
  AddToSum(value);
  ++sample_count_;
}

void SeriesReducer::AddDouble(double value) {
  if (sample_count_ > 0) {
    double_delta_ += value < last_double_ ? value : value - last_double_;
  }
  last_double_ = value;
  max_ = sample_count_ == 0 ? value : std::max(max_, value);
  AddToSum(value);
  ++sample_count_;
}

void SeriesReducer::AddToSum(double value) {
  value /= sum_unit_;
  double sum = sum_ + value;
  if (!std::isfinite(sum)) {
    sum_unit_ = kLargeUnit;
    sum_ /= kLargeUnit;
    compensation_ /= kLargeUnit;
    value /= kLargeUnit;
    sum = sum_ + value;
  }
  // What the addition rounded off is the low part of the smaller of the two.
  compensation_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
  sum_ = sum;
}

double SeriesReducer::MeanOf(double total) const {
  const double mean = total / static_cast<double>(sample_count_);
  // Rounding may lift the mean of the largest doubles just beyond them.
  const double largest = std::numeric_limits<double>::max() / sum_unit_;
  return std::clamp(mean, -largest, largest) * sum_unit_;
}

std::optional<double> SeriesReducer::Value() const {
  if (sample_count_ == 0) return std::nullopt;
  // Scaling last keeps sums of stored integers exact where 0.01 * k would round each.
  const double scale = is_int_ ? scale_ : 1;
  const double total = sum_ + compensation_;
  switch (reduction_) {
    case model::Reduction::kMean:
      return MeanOf(total) * scale;
    case model::Reduction::kSum:
      return total * sum_unit_ * scale;
    case model::Reduction::kMax:
      return max_ * scale;
    case model::Reduction::kDelta:
      if (sample_count_ < 2) return std::nullopt;
      return is_int_ ? static_cast<double>(int_delta_) * scale : double_delta_;
  }
  return std::nullopt;
}

}  // namespace regressd::analysis
