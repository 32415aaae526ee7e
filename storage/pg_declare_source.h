#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "services/model/run.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

/// IngestStore::DeclareSource within a transaction.
absl::StatusOr<std::int64_t> DeclareSourceIn(LibpqConnection& connection, std::int64_t run_id,
                                             std::int64_t epoch, const model::Source& source);

/// The metrics that a run declared for a source, in their order.
absl::StatusOr<std::vector<model::Metric>> ReadMetrics(LibpqConnection& connection,
                                                       std::int64_t run_id, std::int32_t source_id);

/// Locks the run's row until the transaction ends, `FOR SHARE` or `FOR UPDATE`, and returns its
/// state. Errors: Aborted when another stream took over or there is no such run;
/// FailedPrecondition when it was deleted.
absl::StatusOr<model::RunState> LockRun(LibpqConnection& connection, std::int64_t run_id,
                                        std::int64_t epoch, const char* lock);

}  // namespace regressd::storage
