#include "storage/pg_open_run.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "storage/commit_rules.h"
#include "storage/pg_open_commit.h"
#include "storage/pqxx_compat.h"
#include "storage/row_codec.h"

namespace regressd::storage {
namespace {

constexpr char kInsertRun[] = R"sql(
INSERT INTO run (run_id, run_uuid, axes_id, commit_id, testbox, boot_id, facts, command, job_toml,
    agent_version, monitor_notes, start_time, created_by)
VALUES ($1, $2::uuid, $3, $4, $5, $6, $7::jsonb, $8::text[], $9, $10, $11::jsonb,
    'epoch'::timestamptz + $12::int8 * interval '1 microsecond', $13)
ON CONFLICT (run_id) DO NOTHING RETURNING epoch)sql";

constexpr char kLockRun[] = R"sql(
SELECT r.run_uuid, r.state, r.epoch, r.axes_id, r.commit_id, a.canonical
FROM run r LEFT JOIN axes a USING (axes_id) WHERE r.run_id = $1 FOR UPDATE OF r)sql";

// A run that was given up and sends again is open again.
constexpr char kNextEpoch[] = R"sql(
UPDATE run SET epoch = epoch + 1, state = 'open', last_seen_time = clock_timestamp()
WHERE run_id = $1 RETURNING epoch)sql";

constexpr char kFence[] = "UPDATE ingest_cursor SET epoch = $2 WHERE run_id = $1 AND epoch <> $2";
constexpr char kReadCursors[] =
    "SELECT source_id, last_seq FROM ingest_cursor WHERE run_id = $1 ORDER BY source_id";

// The epoch of a new run; 0 when it is there already.
absl::StatusOr<std::int64_t> InsertRun(LibpqConnection& connection, const model::RunSpec& spec,
                                       const std::string& commit_id, std::string_view created_by) {
  const Params row(spec.key.run_id, spec.key.uuid, spec.axes.Id(), commit_id, spec.facts.testbox,
                   spec.facts.boot_id, FactsToJson(spec.facts), spec.command, spec.job_toml,
                   spec.agent_version, NotesToJson(spec.monitor_notes),
                   spec.start_time.time_since_epoch().count(), created_by);
  const auto inserted = connection.Query(kInsertRun, row.values());
  if (!inserted.ok()) return inserted.status();
  return inserted->empty() ? 0 : inserted->Int(0, 0);
}

absl::Status AddWhatIsTested(LibpqConnection& connection, const model::RunSpec& spec,
                             const model::Commit& commit, std::string_view created_by) {
  if (auto status = AddAxes(connection, spec.axes); !status.ok()) return status;
  const auto note = AddRunCommit(connection, commit, created_by);
  if (!note.ok()) return note.status();
  if (!note->empty()) {
    const auto noted = connection.Query(
        "UPDATE run SET monitor_notes = monitor_notes || $2::jsonb WHERE run_id = $1",
        Params(spec.key.run_id, NotesToJson({{kParentsNote, *note}})).values());
    if (!noted.ok()) return noted.status();
  }
  return connection
      .Query("INSERT INTO run_group (axes_id, commit_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
             Params(spec.axes.Id(), commit.commit_id).values())
      .status();
}

absl::Status CheckSameRun(const model::RunSpec& spec, const std::string& commit_id,
                          const PgRows& known) {
  if (known.Bytes(0, 0) != spec.key.uuid) {
    return absl::AlreadyExistsError(
        fmt::format("run {} has the same 63-bit id as run {}; start the run under a new UUID",
                    spec.key.uuid, known.Bytes(0, 0)));
  }
  if (known.Int(0, 3) != spec.axes.Id()) {
    return absl::AlreadyExistsError(
        fmt::format("run {} was opened with axes {{{}}}, not {{{}}}; start a new run",
                    spec.key.uuid, known.Bytes(0, 5), spec.axes.Canonical()));
  }
  if (known.Bytes(0, 4) != commit_id) {
    return absl::AlreadyExistsError(
        fmt::format("run {} was opened with commit {}, not {}; start a new run", spec.key.uuid,
                    known.Bytes(0, 4), commit_id));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> TakeNextEpoch(LibpqConnection& connection, std::int64_t run_id) {
  const auto next = connection.Query(kNextEpoch, Params(run_id).values());
  if (!next.ok()) return next.status();
  const std::int64_t epoch = next->Int(0, 0);
  const auto fenced = connection.Query(kFence, Params(run_id, epoch).values());
  if (!fenced.ok()) return fenced.status();
  return epoch;
}

absl::Status Reopen(LibpqConnection& connection, const model::RunSpec& spec,
                    const std::string& commit_id, OpenedRun* opened) {
  const auto known = connection.Query(kLockRun, Params(spec.key.run_id).values());
  if (!known.ok()) return known.status();
  if (known->empty()) {
    return absl::UnavailableError(
        fmt::format("run {} vanished while it was opened; open it again", spec.key.uuid));
  }
  if (auto status = CheckSameRun(spec, commit_id, *known); !status.ok()) return status;
  const auto state = IngestState(known->Bytes(0, 1), spec.key.uuid);
  if (!state.ok()) return state.status();
  opened->epoch = known->Int(0, 2);
  opened->state = *state;
  if (*state == model::RunState::kComplete || *state == model::RunState::kFailed) {
    return absl::OkStatus();
  }
  const auto epoch = TakeNextEpoch(connection, spec.key.run_id);
  if (!epoch.ok()) return epoch.status();
  opened->epoch = *epoch;
  opened->state = model::RunState::kOpen;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<model::RunState> IngestState(std::string_view stored, std::string_view run_uuid) {
  if (stored == "deleted") {
    return absl::FailedPreconditionError(
        fmt::format("run {} was deleted; start a new run", run_uuid));
  }
  if (stored == "sealed") return model::RunState::kComplete;
  model::RunState state = model::RunState::kOpen;
  if (!model::FromString(stored, &state)) {
    return absl::InternalError(fmt::format("run {} is in the unknown state {}", run_uuid, stored));
  }
  return state;
}

absl::StatusOr<OpenedRun> OpenRunIn(LibpqConnection& connection, const model::RunSpec& spec,
                                    std::string_view created_by) {
  absl::StatusOr<model::Commit> commit = NormalCommit(spec.commit);
  if (commit.ok()) commit = ResolveRunCommit(connection, *std::move(commit), spec.key.run_id);
  if (!commit.ok()) return commit.status();
  const auto new_epoch = InsertRun(connection, spec, commit->commit_id, created_by);
  if (!new_epoch.ok()) return new_epoch.status();

  OpenedRun opened;
  opened.epoch = *new_epoch;
  if (*new_epoch > 0) {
    if (auto status = AddWhatIsTested(connection, spec, *commit, created_by); !status.ok()) {
      return status;
    }
    return opened;
  }
  if (auto status = Reopen(connection, spec, commit->commit_id, &opened); !status.ok()) {
    return status;
  }
  const auto cursors = connection.Query(kReadCursors, Params(spec.key.run_id).values());
  if (!cursors.ok()) return cursors.status();
  for (int i = 0; i < cursors->size(); ++i) {
    opened.cursors.push_back({static_cast<std::int32_t>(cursors->Int(i, 0)), cursors->Int(i, 1)});
  }
  return opened;
}

}  // namespace regressd::storage
