#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "services/model/run.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

/// IngestStore::EndRun within a transaction. Reads the samples before it locks the run, so that a
/// newer stream need not wait for a long run; the epoch, checked under the lock, says that nothing
/// came in between.
absl::StatusOr<model::RunState> EndRunIn(LibpqConnection& connection, std::int64_t run_id,
                                         std::int64_t epoch, const model::RunOutcome& outcome);

}  // namespace regressd::storage
