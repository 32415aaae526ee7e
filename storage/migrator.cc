#include "storage/migrator.h"

#include <openssl/sha.h>

#include <array>
#include <map>

#include "storage/transaction.h"

namespace regressd::storage {
namespace {

// Any constant will do that no other user of the database takes: "regressd" as ASCII, cut to 63
// bits.
constexpr std::int64_t kMigrationLock = 0x7265677265737364;

struct Applied {
  std::string name;
  std::string checksum;
};

std::string Checksum(std::string_view sql) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(sql.data()), sql.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::map<int, Applied> LoadApplied(pqxx::work& transaction) {
  std::map<int, Applied> applied;
  for (const auto& row :
       ExecScript(transaction, "SELECT version, name, checksum FROM schema_version")) {
    applied[Get<int>(row[0])] = {.name = Get<std::string>(row[1]),
                                 .checksum = Get<std::string>(row[2])};
  }
  return applied;
}

absl::Status CheckApplied(const std::map<int, Applied>& applied,
                          std::span<const Migration> migrations) {
  const int newest_known = migrations.empty() ? 0 : migrations.back().version;
  const int newest_applied = applied.empty() ? 0 : applied.rbegin()->first;
  if (newest_applied > newest_known) {
    return absl::FailedPreconditionError(fmt::format(
        "the database schema is version {} and this regressd knows versions up to {}; start the "
        "newer regressd that made it, or restore a backup of the older schema",
        newest_applied, newest_known));
  }
  for (const Migration& migration : migrations) {
    const auto found = applied.find(migration.version);
    if (found == applied.end() && migration.version <= newest_applied) {
      return absl::FailedPreconditionError(
          fmt::format("schema_version lists version {} but not {} ({}); restore a backup",
                      newest_applied, migration.version, migration.name));
    }
    if (found != applied.end() && found->second.checksum != Checksum(migration.sql)) {
      return absl::FailedPreconditionError(fmt::format(
          "schema version {} was applied as {} from a text other than this regressd's {}; start "
          "the regressd that made the schema, or move the data with pg_dump --data-only",
          migration.version, found->second.name, migration.name));
    }
  }
  return absl::OkStatus();
}

absl::Status Apply(pqxx::work& transaction, const Migration& migration) try {
  ExecScript(transaction, std::string(migration.sql));
  Exec(transaction, "INSERT INTO schema_version (version, name, checksum) VALUES ($1, $2, $3)",
       migration.version, migration.name, Checksum(migration.sql));
  return absl::OkStatus();
} catch (const pqxx::broken_connection&) {
  throw;  // Says nothing about the migration.
} catch (const pqxx::sql_error&) {
  const absl::Status status = StatusFromException(transaction.conn().is_open());
  return {status.code(), fmt::format("migration V{:03}__{}: {}", migration.version, migration.name,
                                     std::string(status.message()))};
}

}  // namespace

absl::StatusOr<MigrationOutcome> Migrate(pqxx::connection& connection,
                                         std::span<const Migration> migrations) {
  return InTransaction(
      connection, [&](pqxx::work& transaction) -> absl::StatusOr<MigrationOutcome> {
        // A migration may take long, and the lock may be held by another server's.
        ExecScript(transaction,
                   "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;"
                   "SET LOCAL client_min_messages = warning");
        Exec(transaction, "SELECT pg_advisory_xact_lock($1::int8)", kMigrationLock);
        ExecScript(transaction,
                   "CREATE TABLE IF NOT EXISTS schema_version ("
                   "  version int4 PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,"
                   "  applied_time timestamptz NOT NULL DEFAULT clock_timestamp())");
        const std::map<int, Applied> applied = LoadApplied(transaction);
        if (absl::Status status = CheckApplied(applied, migrations); !status.ok()) return status;

        MigrationOutcome outcome;
        for (const Migration& migration : migrations) {
          outcome.version = migration.version;
          if (applied.contains(migration.version)) continue;
          if (absl::Status status = Apply(transaction, migration); !status.ok()) return status;
          ++outcome.applied_count;
        }
        return outcome;
      });
}

}  // namespace regressd::storage
