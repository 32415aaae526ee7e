#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {

/// One step of the schema, from storage/migrations/V<version>__<name>.sql.
struct Migration {
  int version = 0;  ///< From 1, without holes.
  std::string_view name;
  std::string_view sql;
};

struct MigrationOutcome {
  int version = 0;        ///< Of the schema now.
  int applied_count = 0;  ///< By this call.
};

/// The migrations that this binary was built with, in order.
std::span<const Migration> EmbeddedMigrations();

/// Brings the database to the newest of `migrations`: applies, each once and in order, those that
/// table schema_version does not list. All in one transaction under a transaction lock: half an
/// upgrade never exists, and servers that start together wait for each other. Errors:
/// FailedPrecondition when the schema is newer than `migrations`, or an applied migration differs
/// from the one of the same number here; Unavailable when the store cannot be reached; else what
/// the SQL met, naming the migration.
absl::StatusOr<MigrationOutcome> Migrate(pqxx::connection& connection,
                                         std::span<const Migration> migrations);

}  // namespace regressd::storage
