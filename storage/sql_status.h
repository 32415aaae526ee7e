#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace regressd::storage {

/// The status that a PostgreSQL error stands for, by its five-character SQLSTATE:
/// * Unavailable: the server cannot be reached, stops, starts, is full of connections or read-only;
/// try again later;
/// * Aborted: a deadlock, a serialisation failure or a lock not available; the same transaction may
/// succeed;
/// * DeadlineExceeded: statement_timeout or a cancel;
/// * InvalidArgument: the data is refused (class 22, CHECK and NOT NULL); AlreadyExists: a unique
/// key is taken;
///   FailedPrecondition: a foreign key has no row;
/// * ResourceExhausted: disk or memory is full; PermissionDenied: a privilege is missing;
/// * Internal: everything else, and an empty `sqlstate`.
absl::Status StatusFromSqlState(std::string_view sqlstate, std::string message);

}  // namespace regressd::storage
