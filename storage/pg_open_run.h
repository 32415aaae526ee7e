#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "storage/ingest_store.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

/// IngestStore::OpenRun within a transaction.
absl::StatusOr<OpenedRun> OpenRunIn(LibpqConnection& connection, const model::RunSpec& spec,
                                    std::string_view created_by);

/// The state of a run as ingest knows it; a sealed run, whose samples were packed, is complete.
/// Errors: FailedPrecondition for a deleted run.
absl::StatusOr<model::RunState> IngestState(std::string_view stored, std::string_view run_uuid);

}  // namespace regressd::storage
