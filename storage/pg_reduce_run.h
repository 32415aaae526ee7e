#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "services/model/metric.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

struct ReducedValue {
  model::Metric metric;
  double value = 0;
  std::int64_t sample_count = 0;
};

/// By metric name. Of a metric that several sources have, the value of the source with the lowest
/// id.
using ReducedValues = std::map<std::string, ReducedValue>;

/// Reduces every series of a run and all its observations to run values. Holds one row of samples
/// at a time, and the observations of one metric.
absl::StatusOr<ReducedValues> ReduceRun(LibpqConnection& connection, std::int64_t run_id);

}  // namespace regressd::storage
