#pragma once

#include <cstdint>
#include <optional>

#include "services/model/metric.h"

namespace regressd::analysis {

/// Reduces the samples of one series, given one after the other in order of time, to the one run
/// value. Missing samples are simply not given. Memory is constant. Thread-compatible.
class SeriesReducer {
 public:
  explicit SeriesReducer(const model::Metric& metric);

  /// A stored integer: the value is stored * scale; of a counter it is the bit pattern of an
  /// unsigned 64-bit total.
  void AddInt(std::int64_t stored);
  /// A double, in the metric's unit. Not NaN or infinite.
  void AddDouble(double value);

  std::int64_t sample_count() const { return sample_count_; }

  /// The run value in the metric's unit; unset when there is none: no sample, or kDelta with fewer
  /// than two. kDelta: last - first; a drop of the counter is a reset: what came before it counts
  /// up to its last reading, and counting starts again from 0. Exact in integers until the end.
  /// kMean: compensated sum / count (Neumaier). Finite whenever the run value itself is within the
  /// range of a double, also where a sum on the way to it is not; else infinite.
  std::optional<double> Value() const;

 private:
  void AddToSum(double value);
  double MeanOf(double total) const;

  model::Reduction reduction_;
  double scale_;
  bool is_counter_;
  std::int64_t sample_count_ = 0;
  double sum_ = 0;  // Neumaier: sum and what rounding lost of it. Of stored integers, unscaled.
  double compensation_ = 0;
  double sum_unit_ = 1;  // Of the two: a power of two, above 1 once a sum left the range.
  double max_ = 0;
  bool is_int_ = false;
  std::uint64_t last_int_ = 0;
  std::uint64_t int_delta_ = 0;
  double last_double_ = 0;
  double double_delta_ = 0;
};

}  // namespace regressd::analysis
