#include "storage/commit_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "storage/copy_binary.h"

namespace regressd::storage {
namespace {

using Kind = EncodedBatch::Kind;

struct CursorMove {
  std::int64_t epoch = 0;
  std::int64_t expected_seq = 0;  // Where the cursor must stand.
  std::int64_t last_seq = 0;      // Where it goes.
};
using CursorMoves = std::map<std::pair<std::int64_t, std::int32_t>, CursorMove>;

absl::StatusOr<CursorMoves> CursorMovesOf(std::span<const EncodedBatch> batches) {
  CursorMoves moves;
  for (const EncodedBatch& batch : batches) {
    const auto [move, is_new] =
        moves.try_emplace({batch.run_id, batch.source_id},
                          CursorMove{batch.epoch, batch.first_seq - 1, batch.last_seq});
    if (is_new) continue;
    if (move->second.epoch != batch.epoch) {
      return absl::AbortedError(fmt::format("run {} source {} has batches of epochs {} and {}",
                                            batch.run_id, batch.source_id, move->second.epoch,
                                            batch.epoch));
    }
    if (batch.first_seq != move->second.last_seq + 1) {
      return absl::InvalidArgumentError(fmt::format("run {} source {}: batch {} to {} follows {}",
                                                    batch.run_id, batch.source_id, batch.first_seq,
                                                    batch.last_seq, move->second.last_seq));
    }
    move->second.last_seq = batch.last_seq;
  }
  return moves;
}

void AppendCopy(std::span<const EncodedBatch> batches, Kind kind, CommitScript* script) {
  std::vector<std::string_view> pieces = {CopyHeader()};
  for (const EncodedBatch& batch : batches) {
    if (batch.kind == kind && !batch.tuples.empty()) pieces.push_back(batch.tuples);
  }
  if (pieces.size() == 1) return;
  pieces.push_back(CopyTrailer());
  script->copies.push_back(std::move(pieces));
  script->sql += fmt::format("COPY {} FROM STDIN (FORMAT binary); ", CopyTarget(kind));
}

absl::Status AppendGaps(std::span<const EncodedBatch> batches, LibpqConnection& connection,
                        CommitScript* script) {
  std::vector<std::string> rows;
  for (const EncodedBatch& batch : batches) {
    if (batch.kind != Kind::kGap) continue;
    const absl::StatusOr<std::string> reason = connection.Quote(batch.tuples);
    if (!reason.ok()) return reason.status();
    rows.push_back(fmt::format("({}, {}, {}, {}, {})", batch.run_id, batch.source_id,
                               batch.first_seq, batch.last_seq - batch.first_seq + 1, *reason));
  }
  if (rows.empty()) return absl::OkStatus();
  script->sql += fmt::format(
      "INSERT INTO ingest_gap (run_id, source_id, first_seq, count, reason) VALUES {}; ",
      fmt::join(rows, ", "));
  return absl::OkStatus();
}

// Last, so that its division by zero takes everything before it back. A cursor moves only from
// where the first batch expects it: a hole below a cursor cannot come to be, whoever asks for it.
void AppendCursors(const CursorMoves& moves, CommitScript* script) {
  std::vector<std::string> rows;
  for (const auto& [key, move] : moves) {
    rows.push_back(fmt::format("({}::int8, {}::int4, {}::int8, {}::int8, {}::int8)", key.first,
                               key.second, move.epoch, move.expected_seq, move.last_seq));
  }
  script->sql += fmt::format(
      "WITH moved AS (UPDATE ingest_cursor c SET last_seq = v.last_seq "
      "FROM (VALUES {}) AS v(run_id, source_id, epoch, expected_seq, last_seq) "
      "WHERE c.run_id = v.run_id AND c.source_id = v.source_id AND c.epoch = v.epoch "
      "AND c.last_seq = v.expected_seq RETURNING 1) "
      "SELECT 1 / (CASE WHEN count(*) = {} THEN 1 ELSE 0 END) FROM moved",
      fmt::join(rows, ", "), moves.size());
}

}  // namespace

absl::StatusOr<CommitScript> BuildCommitScript(std::span<const EncodedBatch> batches,
                                               std::span<const std::int64_t> seen,
                                               const std::string& settings,
                                               LibpqConnection& connection) {
  const absl::StatusOr<CursorMoves> moves = CursorMovesOf(batches);
  if (!moves.ok()) return moves.status();
  CommitScript script;
  script.sql = settings;
  for (const Kind kind : {Kind::kSamples, Kind::kBlocks, Kind::kStacks, Kind::kObservations}) {
    AppendCopy(batches, kind, &script);
  }
  if (absl::Status gaps = AppendGaps(batches, connection, &script); !gaps.ok()) return gaps;
  if (!seen.empty()) {
    script.sql +=
        fmt::format("UPDATE run SET last_seen_time = clock_timestamp() WHERE run_id IN ({}); ",
                    fmt::join(seen, ", "));
  }
  AppendCursors(*moves, &script);
  return script;
}

absl::Status CommitStatus(const SqlError& error) {
  // 22012: the cursors' division by zero, the only one in the script. 23505: the keys, which stand
  // behind the cursors.
  if (error.sqlstate == "22012") {
    return absl::AbortedError("a cursor was not where its batches expected it");
  }
  if (error.sqlstate == "23505") {
    return absl::AbortedError(fmt::format("some batch is stored already: {}", error.message));
  }
  if (error.sqlstate.substr(0, 2) == "23") return absl::InvalidArgumentError(error.message);
  return ToStatus(error);
}

}  // namespace regressd::storage
