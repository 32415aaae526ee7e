#include "storage/pg_open_commit.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/commit_cycles.h"
#include "storage/commit_names.h"
#include "storage/commit_rules.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {
namespace {

constexpr char kUpsertCommit[] = R"sql(
INSERT INTO commit AS c (commit_id, describe, subject, author, author_time, trailers,
    patch_message_id, patch_base_commit_id, patch_number, patch_total, patch_series_version, created_by)
VALUES ($1, $2, $3, $4, 'epoch'::timestamptz + $5::int8 * interval '1 microsecond', $6::text[],
    $7, $8, $9, $10, $11, $12)
ON CONFLICT (commit_id) DO UPDATE SET
  describe    = CASE WHEN c.describe = '' THEN EXCLUDED.describe ELSE c.describe END,
  subject     = CASE WHEN c.subject = '' THEN EXCLUDED.subject ELSE c.subject END,
  author      = CASE WHEN c.author = '' THEN EXCLUDED.author ELSE c.author END,
  author_time = coalesce(c.author_time, EXCLUDED.author_time),
  trailers    = CASE WHEN c.trailers = '{}' THEN EXCLUDED.trailers ELSE c.trailers END
WHERE (c.describe = '' AND EXCLUDED.describe <> '') OR (c.subject = '' AND EXCLUDED.subject <> '')
   OR (c.author = '' AND EXCLUDED.author <> '') OR (c.trailers = '{}' AND EXCLUDED.trailers <> '{}')
   OR (c.author_time IS NULL AND EXCLUDED.author_time IS NOT NULL))sql";

constexpr char kKnowsParents[] = "SELECT 1 FROM commit WHERE commit_id = $1 AND parents_known";
// The row is locked from the first of the two on, so only one transaction tells the parents.
constexpr char kLearnParents[] =
    "UPDATE commit SET parents_known = true WHERE commit_id = $1 AND NOT parents_known RETURNING 1";
constexpr char kAddParents[] =
    "INSERT INTO commit_parent (commit_id, ord, parent_id) "
    "SELECT $1, p.ord, p.id FROM unnest($2::text[]) WITH ORDINALITY AS p(id, ord)";
constexpr char kReadParents[] =
    "SELECT parent_id FROM commit_parent WHERE commit_id = $1 ORDER BY ord";
constexpr char kReadNamed[] =
    "SELECT commit_id, 'id' FROM commit WHERE commit_id = $1 "
    "UNION ALL SELECT n, 'name' FROM commits_named($1) AS n";
constexpr char kForgetParents[] =
    "WITH links AS (DELETE FROM commit_parent WHERE commit_id = $1) "
    "UPDATE commit SET parents_known = false WHERE commit_id = $1";
constexpr char kAddBranches[] =
    "INSERT INTO commit_branch (commit_id, branch) SELECT $1, unnest($2::text[]) "
    "ON CONFLICT DO NOTHING";

std::string NotTaken(const absl::Status& why) {
  return fmt::format("what the run says of them is not taken: {}", std::string(why.message()));
}

// Before anything of the commit is touched: who adds commits takes the lock first, too.
absl::Status LockParents(LibpqConnection& connection, const model::Commit& commit) {
  if (commit.parent_ids.empty()) return absl::OkStatus();
  const auto known = connection.Query(kKnowsParents, Params(commit.commit_id).values());
  if (!known.ok() || !known->empty()) return known.status();
  return connection
      .Query("SELECT pg_advisory_xact_lock($1::int8)", Params(kCommitParentsLock).values())
      .status();
}

absl::Status CheckParents(LibpqConnection& connection, const std::string& commit_id) {
  return CheckNoCycleThrough({commit_id},
                             [&](const std::string& sql, const std::vector<std::string>& commit_ids,
                                 std::int64_t limit) -> absl::StatusOr<std::vector<ParentLink>> {
                               const auto rows =
                                   connection.Query(sql, Params(commit_ids, limit).values());
                               if (!rows.ok()) return rows.status();
                               std::vector<ParentLink> links;
                               for (int i = 0; i < rows->size(); ++i)
                                 links.push_back({rows->Text(i, 0), rows->Text(i, 1)});
                               return links;
                             });
}

// The run's word against what is known; empty when they agree.
absl::StatusOr<std::string> Contradiction(LibpqConnection& connection,
                                          const model::Commit& commit) {
  const auto rows = connection.Query(kReadParents, Params(commit.commit_id).values());
  if (!rows.ok()) return rows.status();
  model::Commit known;
  known.commit_id = commit.commit_id;
  for (int i = 0; i < rows->size(); ++i) known.parent_ids.push_back(rows->Text(i, 0));
  known.root = known.parent_ids.empty();
  const auto merged = MergeCommits(known, commit);
  return merged.ok() ? "" : NotTaken(merged.status());
}

absl::StatusOr<std::string> LearnParents(LibpqConnection& connection, const model::Commit& commit) {
  const auto learned = connection.Query(kLearnParents, Params(commit.commit_id).values());
  if (!learned.ok()) return learned.status();
  if (learned->empty()) return Contradiction(connection, commit);
  if (commit.parent_ids.empty()) return "";
  const auto added =
      connection.Query(kAddParents, Params(commit.commit_id, commit.parent_ids).values());
  if (!added.ok()) return added.status();
  const absl::Status checked = CheckParents(connection, commit.commit_id);
  if (checked.ok()) return "";
  if (checked.code() != absl::StatusCode::kInvalidArgument) return checked;
  const auto forgotten = connection.Query(kForgetParents, Params(commit.commit_id).values());
  if (!forgotten.ok()) return forgotten.status();
  return NotTaken(checked);
}

struct Named {
  bool is_stored = false;               // Under just this id.
  std::vector<std::string> commit_ids;  // With a full sha, that it stands for.
};

absl::StatusOr<Named> ReadNamed(LibpqConnection& connection, const std::string& name) {
  const auto rows = connection.Query(kReadNamed, Params(name).values());
  if (!rows.ok()) return rows.status();
  Named named;
  for (int i = 0; i < rows->size(); ++i) {
    if (rows->Text(i, 1) == "id") {
      named.is_stored = true;
    } else {
      named.commit_ids.push_back(rows->Text(i, 0));
    }
  }
  return named;
}

absl::Status CheckStays(LibpqConnection& connection, const std::string& name) {
  if (IsMovingName(name)) return MovingName(name);
  const auto branch = connection.Query("SELECT 1 FROM commit_branch WHERE branch = $1 LIMIT 1",
                                       Params(name).values());
  if (!branch.ok()) return branch.status();
  return branch->empty() ? absl::OkStatus() : MovingName(name);
}

// Of several, the one that the run was opened with, or its patch's base.
absl::StatusOr<std::string> OneOf(LibpqConnection& connection, const std::string& name,
                                  const std::vector<std::string>& commit_ids, std::int64_t run_id) {
  const auto known = connection.Query(
      "SELECT r.commit_id, coalesce(c.patch_base_commit_id, '') FROM run r "
      "LEFT JOIN commit c USING (commit_id) WHERE r.run_id = $1",
      Params(run_id).values());
  if (!known.ok()) return known.status();
  for (const std::string& commit_id : commit_ids) {
    if (known->empty()) break;
    if (known->Text(0, 0) == commit_id || known->Text(0, 1) == commit_id) return commit_id;
  }
  return SeveralCommits(name, "tag or prefix", commit_ids);
}

absl::StatusOr<std::string> IdOf(LibpqConnection& connection, const std::string& name,
                                 std::int64_t run_id) {
  if (IsFullSha(name)) return name;
  for (const bool locked : {false, true}) {
    const auto named = ReadNamed(connection, name);
    if (!named.ok()) return named.status();
    if (named->is_stored) return name;
    if (named->commit_ids.size() == 1) return named->commit_ids.front();
    if (!named->commit_ids.empty()) return OneOf(connection, name, named->commit_ids, run_id);
    if (locked) break;
    if (auto status = CheckStays(connection, name); !status.ok()) return status;
    // A new name: whoever tells its commit right now sees it, or is seen.
    const auto lock = connection.Query("SELECT pg_advisory_xact_lock($1::int8)",
                                       Params(kCommitParentsLock).values());
    if (!lock.ok()) return lock.status();
  }
  return name;
}

}  // namespace

absl::Status AddAxes(LibpqConnection& connection, const model::Axes& axes) {
  std::vector<std::string> keys;
  std::vector<std::string> values;
  for (const model::Axis& axis : axes.list()) {
    keys.push_back(axis.key);
    values.push_back(axis.value);
  }
  const std::string canonical = axes.Canonical();
  // No conflict target: two transactions that add the same axes may meet in either unique index.
  const auto added = connection.Query(
      "INSERT INTO axes (axes_id, canonical, print_order) VALUES ($1, $2, $3::text[]) "
      "ON CONFLICT DO NOTHING RETURNING 1",
      Params(axes.Id(), canonical, keys).values());
  if (!added.ok()) return added.status();
  if (!added->empty()) {
    return connection
        .Query(
            "INSERT INTO axis (axes_id, key, value) "
            "SELECT $1, k, v FROM unnest($2::text[], $3::text[]) AS a(k, v)",
            Params(axes.Id(), keys, values).values())
        .status();
  }
  const auto known =
      connection.Query("SELECT canonical FROM axes WHERE axes_id = $1", Params(axes.Id()).values());
  if (!known.ok()) return known.status();
  if (known->empty() || known->Bytes(0, 0) != canonical) {
    return absl::InternalError(
        fmt::format("axes {} have the id {} of other axes; change a value so that they differ",
                    canonical, axes.Id()));
  }
  return absl::OkStatus();
}

absl::StatusOr<model::Commit> ResolveRunCommit(LibpqConnection& connection, model::Commit commit,
                                               std::int64_t run_id) {
  const auto id =
      IdOf(connection, commit.patch ? commit.patch->base_commit_id : commit.commit_id, run_id);
  if (!id.ok()) return id.status();
  if (commit.patch) {
    commit.patch->base_commit_id = *id;
    commit.commit_id = model::PatchCommitId(*commit.patch);
  } else {
    commit.commit_id = *id;
  }
  return commit;
}

absl::StatusOr<std::string> AddRunCommit(LibpqConnection& connection, const model::Commit& commit,
                                         std::string_view created_by) {
  if (auto status = LockParents(connection, commit); !status.ok()) return status;
  Params row(commit.commit_id, commit.describe, commit.subject, commit.author);
  row.Add(commit.author_time ? std::optional(commit.author_time->time_since_epoch().count())
                             : std::nullopt);
  row.Add(commit.trailers);
  if (commit.patch) {
    const model::Patch& patch = *commit.patch;
    row.Add(patch.message_id);
    row.Add(patch.base_commit_id);
    row.Add(patch.number);
    row.Add(patch.total);
    row.Add(patch.series_version);
  } else {
    for (int i = 0; i < 5; ++i) row.Add(std::nullopt);
  }
  row.Add(created_by);
  if (auto added = connection.Query(kUpsertCommit, row.values()); !added.ok()) {
    return added.status();
  }
  std::string note;
  if (ParentsKnown(commit)) {
    auto learned = LearnParents(connection, commit);
    if (!learned.ok()) return learned.status();
    note = *std::move(learned);
  }
  if (commit.branches.empty()) return note;
  const auto added =
      connection.Query(kAddBranches, Params(commit.commit_id, commit.branches).values());
  if (!added.ok()) return added.status();
  return note;
}

}  // namespace regressd::storage
