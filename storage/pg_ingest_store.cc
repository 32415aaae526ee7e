#include "storage/pg_ingest_store.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "services/model/metric.h"
#include "storage/commit_script.h"
#include "storage/libpq_connection.h"
#include "storage/pg_declare_source.h"
#include "storage/pg_end_run.h"
#include "storage/pg_open_run.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {
namespace {

// What a later commit on the same server makes durable with itself: the log is flushed in order,
// and nothing is acknowledged before such a commit.
constexpr char kDurableWithNextCommit[] = "SET LOCAL synchronous_commit = off; ";

}  // namespace

absl::StatusOr<std::unique_ptr<PgIngestStore>> PgIngestStore::Connect(const Options& options) {
  auto connection = LibpqConnection::Connect({.conninfo = options.conninfo});
  if (!connection.ok()) return connection.status();
  return std::unique_ptr<PgIngestStore>(new PgIngestStore(options, *std::move(connection)));
}

PgIngestStore::PgIngestStore(const Options& options, std::unique_ptr<LibpqConnection> connection)
    : options_(options), connection_(std::move(connection)) {}

PgIngestStore::~PgIngestStore() = default;

int PgIngestStore::backend_pid() const { return connection_->backend_pid(); }

std::string PgIngestStore::Settings(std::chrono::milliseconds statement_timeout) {
  // The server's own timeouts come first; ours is for a server that is frozen or cut off.
  connection_->set_response_timeout(statement_timeout + options_.lock_timeout);
  return fmt::format("SET LOCAL statement_timeout = {}; SET LOCAL lock_timeout = {}; ",
                     statement_timeout.count(), options_.lock_timeout.count());
}

absl::StatusOr<OpenedRun> PgIngestStore::OpenRun(const model::RunSpec& spec,
                                                 std::string_view created_by) {
  return InTransaction(*connection_, Settings(options_.statement_timeout),
                       [&] { return OpenRunIn(*connection_, spec, created_by); });
}

absl::StatusOr<std::int64_t> PgIngestStore::DeclareSource(std::int64_t run_id, std::int64_t epoch,
                                                          const model::Source& source) {
  return InTransaction(*connection_, Settings(options_.statement_timeout) + kDurableWithNextCommit,
                       [&] { return DeclareSourceIn(*connection_, run_id, epoch, source); });
}

absl::Status PgIngestStore::AddStacks(std::int64_t run_id, std::span<const std::string> folded) {
  if (folded.empty()) return absl::OkStatus();
  std::vector<std::int64_t> hashes;
  for (const std::string& stack : folded) hashes.push_back(model::Hash63(stack));
  return InTransaction(*connection_, Settings(options_.statement_timeout) + kDurableWithNextCommit,
                       [&] {
                         return connection_
                             ->Query(
                                 "INSERT INTO stack_dict (run_id, stack_hash, folded) "
                                 "SELECT $1, h, f FROM unnest($2::int8[], $3::text[]) AS s(h, f) "
                                 "ORDER BY h ON CONFLICT DO NOTHING",
                                 Params(run_id, hashes, folded).values())
                             .status();
                       });
}

std::vector<std::int64_t> PgIngestStore::RunsToMark(std::span<const EncodedBatch> batches) const {
  const auto now = std::chrono::steady_clock::now();
  std::set<std::int64_t> due;
  for (const EncodedBatch& batch : batches) {
    const auto marked = last_marked_.find(batch.run_id);
    if (marked == last_marked_.end() || now - marked->second >= options_.last_seen_period) {
      due.insert(batch.run_id);
    }
  }
  return {due.begin(), due.end()};
}

absl::Status PgIngestStore::CommitBatches(std::span<const EncodedBatch> batches) {
  if (batches.empty()) return absl::OkStatus();
  const std::vector<std::int64_t> seen = RunsToMark(batches);
  const absl::StatusOr<CommitScript> script =
      BuildCommitScript(batches, seen, Settings(options_.statement_timeout), *connection_);
  if (!script.ok()) return script.status();
  if (const auto error = connection_->RunScript(script->sql, script->copies)) {
    return CommitStatus(*error);
  }
  const auto now = std::chrono::steady_clock::now();
  for (const std::int64_t run_id : seen) last_marked_[run_id] = now;
  // Runs that stopped sending are forgotten.
  std::erase_if(last_marked_, [&](const auto& entry) {
    return now - entry.second > 10 * options_.last_seen_period;
  });
  return absl::OkStatus();
}

absl::StatusOr<std::vector<IngestStore::CursorState>> PgIngestStore::ReadCursors(
    std::span<const std::int64_t> run_ids) {
  return InTransaction(
      *connection_, Settings(options_.statement_timeout),
      [&]() -> absl::StatusOr<std::vector<CursorState>> {
        const absl::StatusOr<PgRows> rows = connection_->Query(
            "SELECT run_id, source_id, epoch, last_seq FROM ingest_cursor "
            "WHERE run_id = ANY($1::int8[]) ORDER BY run_id, source_id",
            Params(run_ids).values());
        if (!rows.ok()) return rows.status();
        std::vector<CursorState> cursors;
        for (int i = 0; i < rows->size(); ++i) {
          cursors.push_back({rows->Int(i, 0), static_cast<std::int32_t>(rows->Int(i, 1)),
                             rows->Int(i, 2), rows->Int(i, 3)});
        }
        return cursors;
      });
}

absl::StatusOr<model::RunState> PgIngestStore::EndRun(std::int64_t run_id, std::int64_t epoch,
                                                      const model::RunOutcome& outcome) {
  return InTransaction(*connection_, Settings(options_.reduce_timeout),
                       [&] { return EndRunIn(*connection_, run_id, epoch, outcome); });
}

absl::StatusOr<std::unique_ptr<IngestStore>> PgIngestStoreFactory::Connect() {
  return PgIngestStore::Connect(options_);
}

}  // namespace regressd::storage
