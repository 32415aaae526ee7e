#include "storage/pg_link_names.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "services/model/commit.h"
#include "storage/pg_regression_rows.h"
#include "storage/pg_rows.h"
#include "storage/regression_rules.h"

namespace regressd::storage {
namespace {

struct Link {
  std::string name;
  std::string commit_id;
};

// The predicate is that of the index commit_local_name.
constexpr char kFindLinks[] = R"sql(
SELECT l.name, min(n) FROM (
  SELECT commit_id AS name FROM commit
  WHERE patch_message_id IS NULL AND commit_id !~ '^([0-9a-f]{40}|[0-9a-f]{64})$'
  UNION
  SELECT patch_base_commit_id FROM commit
  WHERE patch_message_id IS NOT NULL AND patch_base_commit_id !~ '^([0-9a-f]{40}|[0-9a-f]{64})$'
) AS l CROSS JOIN LATERAL commits_named(l.name) AS n
GROUP BY l.name HAVING count(*) = 1 ORDER BY l.name COLLATE "C")sql";

// A worker that judges one of the groups now is waited for: what it finds is moved, too.
void LockJudging(pqxx::transaction_base& transaction, const std::string& commit_id) {
  Exec(transaction,
       "SELECT pg_advisory_xact_lock(g.axes_id) FROM (SELECT axes_id FROM run_group "
       "WHERE commit_id = $1 OR base_commit_id = $1 UNION SELECT axes_id FROM regression "
       "WHERE base_commit_id = $1 OR head_commit_id = $1 ORDER BY axes_id) AS g",
       commit_id);
}

void MoveRuns(pqxx::transaction_base& transaction, const Link& link) {
  Exec(transaction, "UPDATE run SET commit_id = $2 WHERE commit_id = $1", link.name,
       link.commit_id);
  Exec(transaction,
       "INSERT INTO run_group AS g (axes_id, commit_id, arrival_time, base_commit_id, judged_time) "
       "SELECT axes_id, $2, arrival_time, base_commit_id, judged_time FROM run_group "
       "WHERE commit_id = $1 ON CONFLICT (axes_id, commit_id) DO UPDATE "
       "SET arrival_time = least(g.arrival_time, EXCLUDED.arrival_time)",
       link.name, link.commit_id);
  Exec(transaction, "DELETE FROM run_group WHERE commit_id = $1", link.name);
  Exec(transaction, "UPDATE run_group SET base_commit_id = $2 WHERE base_commit_id = $1", link.name,
       link.commit_id);
  Exec(transaction, "UPDATE detection_due SET commit_id = $2 WHERE commit_id = $1", link.name,
       link.commit_id);
}

// A side of the regressions, wherever there is none yet between the same commits.
void MoveSide(pqxx::transaction_base& transaction, const Link& link, std::string_view side,
              std::string_view other) {
  Exec(transaction,
       fmt::format("UPDATE regression g SET {0} = $2, version = version + 1, "
                   "update_time = clock_timestamp() WHERE g.{0} = $1 AND g.{1} <> $2 "
                   "AND NOT EXISTS (SELECT 1 FROM regression k WHERE k.axes_id = g.axes_id "
                   "AND k.{0} = $2 AND k.{1} = g.{1})",
                   side, other),
       link.name, link.commit_id);
}

void MoveRegressions(pqxx::transaction_base& transaction, const Link& link) {
  MoveSide(transaction, link, "base_commit_id", "head_commit_id");
  MoveSide(transaction, link, "head_commit_id", "base_commit_id");
  const pqxx::result left =
      Exec(transaction,
           "SELECT regression_id FROM regression WHERE state <> 'retracted' "
           "AND (base_commit_id = $1 OR head_commit_id = $1) ORDER BY regression_id",
           link.name);
  for (const auto& row : left) {
    const auto regression_id = Get<std::int64_t>(row[0]);
    UpdateState(transaction, regression_id, model::RegressionState::kRetracted, StateBy::kWorker);
    AddEvent(transaction, regression_id, model::RegressionState::kRetracted, kWorkerName,
             fmt::format("{} is commit {}, of which another regression tells or which is the other "
                         "side of this one",
                         link.name, link.commit_id));
  }
}

// What the name alone knew is kept where the commit lacks it; git's word on parents stands.
void MoveCommit(pqxx::transaction_base& transaction, const Link& link) {
  Exec(transaction,
       "UPDATE commit n SET "
       "describe = CASE WHEN n.describe = '' THEN o.describe ELSE n.describe END, "
       "subject = CASE WHEN n.subject = '' THEN o.subject ELSE n.subject END, "
       "author = CASE WHEN n.author = '' THEN o.author ELSE n.author END, "
       "author_time = coalesce(n.author_time, o.author_time), "
       "trailers = CASE WHEN n.trailers = '{}' THEN o.trailers ELSE n.trailers END, "
       "arrival_time = least(n.arrival_time, o.arrival_time) "
       "FROM commit o WHERE n.commit_id = $2 AND o.commit_id = $1",
       link.name, link.commit_id);
  Exec(transaction,
       "INSERT INTO commit_branch (commit_id, branch) SELECT $2, branch FROM commit_branch "
       "WHERE commit_id = $1 ON CONFLICT DO NOTHING",
       link.name, link.commit_id);
  Exec(transaction, "DELETE FROM commit_branch WHERE commit_id = $1", link.name);
  Exec(transaction, "DELETE FROM commit_parent WHERE commit_id = $1", link.name);
  Exec(transaction,
       "UPDATE commit_parent SET parent_id = $2 WHERE parent_id = $1 AND commit_id <> $2",
       link.name, link.commit_id);
  Exec(transaction, "DELETE FROM commit WHERE commit_id = $1", link.name);
}

void Move(pqxx::transaction_base& transaction, const Link& link);

// A patch on the name is a patch on the commit.
void MovePatches(pqxx::transaction_base& transaction, const Link& link) {
  const pqxx::result patches = Exec(
      transaction, "SELECT commit_id, patch_message_id FROM commit WHERE patch_base_commit_id = $1",
      link.name);
  for (const auto& row : patches) {
    model::Patch patch;
    patch.message_id = Get<std::string>(row[1]);
    patch.base_commit_id = link.commit_id;
    const Link moved{.name = Get<std::string>(row[0]), .commit_id = model::PatchCommitId(patch)};
    Exec(transaction,
         "INSERT INTO commit (commit_id, patch_message_id, patch_base_commit_id, patch_number, "
         "patch_total, patch_series_version, created_by) SELECT $2, patch_message_id, $3, "
         "patch_number, patch_total, patch_series_version, created_by FROM commit "
         "WHERE commit_id = $1 ON CONFLICT (commit_id) DO NOTHING",
         moved.name, moved.commit_id, link.commit_id);
    Move(transaction, moved);
  }
}

void QueueGroups(pqxx::transaction_base& transaction, const std::string& commit_id) {
  QueueForJudging(transaction,
                  "SELECT DISTINCT ON (r.axes_id) r.run_id, r.axes_id, r.commit_id FROM run r "
                  "WHERE r.commit_id = $1 AND " +
                      RunCounts("r") + " ORDER BY r.axes_id, r.run_id",
                  Params(commit_id));
}

void Move(pqxx::transaction_base& transaction, const Link& link) {
  LockJudging(transaction, link.name);
  MovePatches(transaction, link);
  MoveRuns(transaction, link);
  MoveRegressions(transaction, link);
  MoveCommit(transaction, link);
  QueueGroups(transaction, link.commit_id);
}

}  // namespace

std::int32_t LinkNames(pqxx::transaction_base& transaction) {
  const pqxx::result rows = Exec(transaction, kFindLinks);
  if (rows.empty()) return 0;
  std::vector<Link> links;
  for (const auto& row : rows) {
    links.push_back({.name = Get<std::string>(row[0]), .commit_id = Get<std::string>(row[1])});
  }
  // Before events: who judges takes the locks in this order, too.
  for (const Link& link : links) LockJudging(transaction, link.name);
  LockEvents(transaction);
  for (const Link& link : links) Move(transaction, link);
  return static_cast<std::int32_t>(links.size());
}

}  // namespace regressd::storage
