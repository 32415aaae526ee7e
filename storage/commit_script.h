#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/ingest_store.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

/// One simple query that stores a group of batches and moves its cursors, all or nothing, in one
/// implicit transaction with one flush.
struct CommitScript {
  std::string sql;
  std::vector<std::vector<std::string_view>> copies;  ///< For RunScript; views into the batches.
};

/// `settings` stands in front; the runs `seen` are marked as seen.
/// Errors: InvalidArgument when a source's batches have a hole, or a gap's reason is not UTF-8;
/// Aborted when a source has batches of two epochs.
absl::StatusOr<CommitScript> BuildCommitScript(std::span<const EncodedBatch> batches,
                                               std::span<const std::int64_t> seen,
                                               const std::string& settings,
                                               LibpqConnection& connection);

/// The status of a failed script: Aborted when a cursor was not as expected.
absl::Status CommitStatus(const SqlError& error);

}  // namespace regressd::storage
