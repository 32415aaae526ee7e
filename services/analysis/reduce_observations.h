#pragma once

#include <cstdint>
#include <vector>

#include "services/model/metric.h"

namespace regressd::analysis {

/// One run value that stands for the observations of a metric.
struct ObservationValue {
  model::Metric metric;
  double value = 0;
  std::int64_t observation_count = 0;
};

/// Reduces all observations of `metric` in one run to the run values that a comparison of tail and
/// spread needs, in the metric's unit and direction:
/// * M: their mean;
/// * M.stddev: the sample standard deviation (n-1), from two observations on; lower is better
///   whenever M has a direction, since a narrower spread is never the loss;
/// * M.p50, M.p90, M.p95, M.p99: quantiles as R's type 7 (Hyndman and Fan 1996, definition 7:
/// linear
///   between the order statistics around (n-1)p); each only when at least 10 observations are
///   expected beyond it, n(1-p) >= 10, below which a tail quantile is mostly chance;
/// * M.max: the largest.
/// Empty when there is none. None of `observations` is NaN. Reorders `observations`.
std::vector<ObservationValue> ReduceObservations(const model::Metric& metric,
                                                 std::vector<double>& observations);

}  // namespace regressd::analysis
