// The queue of groups to judge. A worker holds a set of axes by a lock of its transaction, not by
// locks on rows: so one worker at a time judges what belongs together, a run that ends or is
// excluded meanwhile never waits for it, and a worker that dies leaves nothing behind.

#include <utility>

#include "storage/pg_detection_writer.h"
#include "storage/pg_regression_store.h"
#include "storage/pg_rows.h"
#include "storage/regression_rules.h"
#include "storage/storable_text.h"

namespace regressd::storage {
namespace {

// Sets of axes that are looked at before a worker concludes that others hold all of them.
constexpr int kCandidates = 64;
constexpr std::size_t kMaxErrorBytes = 2000;

// The rows of a group as they were when it was claimed.
struct Claim {
  DueGroup group;
  std::vector<std::int64_t> run_ids;
  std::vector<std::int64_t> due_micros;
};

bool TryLockAxes(pqxx::transaction_base& transaction, std::int64_t axes_id) {
  const pqxx::result rows =
      Exec(transaction, "SELECT pg_try_advisory_xact_lock($1::int8)", axes_id);
  return Get<bool>(rows[0][0]);
}

// All rows of the group that is due first, also those that wait after a failure.
std::optional<Claim> RowsOfFirstGroup(pqxx::transaction_base& transaction, std::int64_t axes_id) {
  const pqxx::result rows =
      Exec(transaction,
           fmt::format("SELECT commit_id, run_id, {} FROM detection_due "
                       "WHERE axes_id = $1::int8 AND commit_id = (SELECT f.commit_id "
                       "FROM detection_due f WHERE f.axes_id = $1::int8 "
                       "AND f.due_time <= clock_timestamp() ORDER BY f.due_time, f.run_id LIMIT 1)",
                       MicrosOf("due_time")),
           axes_id);
  if (rows.empty()) return std::nullopt;
  Claim claim{.group = {.axes_id = axes_id, .commit_id = Get<std::string>(rows[0][0])},
              .run_ids = {},
              .due_micros = {}};
  for (const auto& row : rows) {
    claim.run_ids.push_back(Get<std::int64_t>(row[1]));
    claim.due_micros.push_back(Get<std::int64_t>(row[2]));
  }
  return claim;
}

std::optional<Claim> ClaimOne(pqxx::transaction_base& transaction) {
  const pqxx::result due =
      Exec(transaction, fmt::format("SELECT axes_id FROM detection_due "
                                    "WHERE due_time <= clock_timestamp() GROUP BY axes_id "
                                    "ORDER BY min(due_time) LIMIT {}",
                                    kCandidates));
  for (const auto& row : due) {
    const auto axes_id = Get<std::int64_t>(row[0]);
    if (!TryLockAxes(transaction, axes_id)) continue;
    // Read under the lock: another worker may just have finished with them.
    if (auto claim = RowsOfFirstGroup(transaction, axes_id)) return claim;
  }
  return std::nullopt;
}

// A row that was queued again meanwhile has another due_time and stays.
std::string ClaimedRows() {
  return "unnest($1::int8[], $2::int8[]) AS u(run_id, due_micros) "
         "WHERE d.run_id = u.run_id AND " +
         MicrosOf("d.due_time") + " = u.due_micros";
}

void Finish(pqxx::transaction_base& transaction, const Claim& claim) {
  Exec(transaction, "DELETE FROM detection_due d USING " + ClaimedRows(), claim.run_ids,
       claim.due_micros);
  Exec(transaction,
       "UPDATE run_group SET judged_time = clock_timestamp() "
       "WHERE axes_id = $1::int8 AND commit_id = $2",
       claim.group.axes_id, claim.group.commit_id);
}

std::string StorableError(const absl::Status& status) {
  std::string text = status.ToString();
  if (text.size() > kMaxErrorBytes) text.resize(kMaxErrorBytes);
  return CheckStorable("error", text).ok() ? text : "an error whose text cannot be stored";
}

// Each row waits by its own number of failures.
absl::Status PutBack(ConnectionPool& pool, const Claim& claim, const absl::Status& error) {
  return InTransaction(pool, [&](pqxx::transaction_base& transaction) -> absl::Status {
    const pqxx::result rows =
        Exec(transaction,
             "UPDATE detection_due d SET attempts = attempts + 1, last_error = $3 FROM " +
                 ClaimedRows() + " RETURNING d.run_id, d.attempts",
             claim.run_ids, claim.due_micros, StorableError(error));
    for (const auto& row : rows) {
      Exec(transaction,
           "UPDATE detection_due SET due_time = clock_timestamp() + $2::int8 * interval '1 second' "
           "WHERE run_id = $1::int8",
           Get<std::int64_t>(row[0]), RetryDelay(Get<std::int32_t>(row[1])).count());
    }
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<bool> PgRegressionStore::ProcessOneDue(
    const std::function<absl::StatusOr<std::vector<Detection>>(const DueGroup&)>& judge) {
  std::optional<Claim> claim;
  absl::StatusOr<bool> processed =
      InTransaction(pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<bool> {
        claim = ClaimOne(transaction);
        if (!claim) return false;
        const auto detections = judge(claim->group);
        if (!detections.ok()) return detections.status();
        if (auto status = WriteDetections(transaction, *detections); !status.ok()) return status;
        Finish(transaction, *claim);
        return true;
      });
  if (processed.ok() || !claim) return processed;
  // What could not be put back is simply due at once.
  PutBack(pool_, *claim, processed.status()).IgnoreError();
  return processed;
}

absl::StatusOr<std::int64_t> PgRegressionStore::CountDue() {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::int64_t> {
        const pqxx::result rows = Exec(
            transaction,
            "SELECT count(*) FROM (SELECT DISTINCT axes_id, commit_id FROM detection_due) AS g");
        return Get<std::int64_t>(rows[0][0]);
      });
}

}  // namespace regressd::storage
