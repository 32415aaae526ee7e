#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "storage/ingest_store.h"

namespace regressd::storage {

class LibpqConnection;

/// IngestStore on PostgreSQL, through libpq alone. Keeps no session state: a pooler in transaction
/// mode may stand in between. Once a method has returned Unavailable, make another store.
class PgIngestStore : public IngestStore {
 public:
  struct Options {
    std::string conninfo;  ///< URL or key=value; WithDefaults is applied.
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::milliseconds lock_timeout{10'000};
    /// Of each statement that reads a whole run when it ends.
    std::chrono::milliseconds reduce_timeout{600'000};
    /// How often a run that sends is marked as seen; 0 = with every commit.
    std::chrono::milliseconds last_seen_period{10'000};
  };

  /// Errors: Unavailable; InvalidArgument when the connection string cannot be read.
  static absl::StatusOr<std::unique_ptr<PgIngestStore>> Connect(const Options& options);
  ~PgIngestStore() override;

  absl::StatusOr<OpenedRun> OpenRun(const model::RunSpec& spec,
                                    std::string_view created_by) override;
  absl::StatusOr<std::int64_t> DeclareSource(std::int64_t run_id, std::int64_t epoch,
                                             const model::Source& source) override;
  absl::Status AddStacks(std::int64_t run_id, std::span<const std::string> folded) override;
  absl::Status CommitBatches(std::span<const EncodedBatch> batches) override;
  absl::StatusOr<std::vector<CursorState>> ReadCursors(
      std::span<const std::int64_t> run_ids) override;
  absl::StatusOr<model::RunState> EndRun(std::int64_t run_id, std::int64_t epoch,
                                         const model::RunOutcome& outcome) override;

  /// The server process of the connection, for operators and tests.
  int backend_pid() const;

 private:
  PgIngestStore(const Options& options, std::unique_ptr<LibpqConnection> connection);

  /// What stands at the begin of a transaction; also how long to wait for its answers.
  std::string Settings(std::chrono::milliseconds statement_timeout);
  /// The runs among `batches` whose last_seen_time is due.
  std::vector<std::int64_t> RunsToMark(std::span<const EncodedBatch> batches) const;

  const Options options_;
  std::unique_ptr<LibpqConnection> connection_;
  std::map<std::int64_t, std::chrono::steady_clock::time_point> last_marked_;
};

/// Makes them. Thread-safe.
class PgIngestStoreFactory : public IngestStoreFactory {
 public:
  explicit PgIngestStoreFactory(PgIngestStore::Options options) : options_(std::move(options)) {}

  absl::StatusOr<std::unique_ptr<IngestStore>> Connect() override;

 private:
  const PgIngestStore::Options options_;
};

}  // namespace regressd::storage
