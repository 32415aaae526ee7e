#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "storage/libpq_connection.h"
#include "storage/reduced_values.h"

namespace regressd::storage {

/// Reduces every series of a run, all its observations and its profiles to run values. Holds one
/// row or block of samples at a time, the observations of one metric, and the functions and call chains of
/// one profile.
absl::StatusOr<ReducedValues> ReduceRun(LibpqConnection& connection, std::int64_t run_id);

}  // namespace regressd::storage
