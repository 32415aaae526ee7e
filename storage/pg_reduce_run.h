#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "storage/libpq_connection.h"
#include "storage/reduced_values.h"

namespace regressd::storage {

/// Reduces every series of a run and all its observations to run values. Holds one row of samples
/// at a time, and the observations of one metric.
absl::StatusOr<ReducedValues> ReduceRun(LibpqConnection& connection, std::int64_t run_id);

}  // namespace regressd::storage
