#include "storage/pg_open_commit.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/commit_cycles.h"
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
constexpr char kForgetParents[] =
    "WITH links AS (DELETE FROM commit_parent WHERE commit_id = $1) "
    "UPDATE commit SET parents_known = false WHERE commit_id = $1";
constexpr char kAddBranches[] =
    "INSERT INTO commit_branch (commit_id, branch) SELECT $1, unnest($2::text[]) "
    "ON CONFLICT DO NOTHING";

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

absl::Status LearnParents(LibpqConnection& connection, const model::Commit& commit) {
  const auto learned = connection.Query(kLearnParents, Params(commit.commit_id).values());
  if (!learned.ok() || learned->empty() || commit.parent_ids.empty()) return learned.status();
  const auto added =
      connection.Query(kAddParents, Params(commit.commit_id, commit.parent_ids).values());
  if (!added.ok()) return added.status();
  const absl::Status checked = CheckParents(connection, commit.commit_id);
  if (checked.code() != absl::StatusCode::kInvalidArgument) return checked;
  spdlog::warn("a run's word on parents is not taken: {}", std::string(checked.message()));
  return connection.Query(kForgetParents, Params(commit.commit_id).values()).status();
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

absl::Status AddRunCommit(LibpqConnection& connection, const model::Commit& commit,
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
  if (ParentsKnown(commit)) {
    if (auto status = LearnParents(connection, commit); !status.ok()) return status;
  }
  if (commit.branches.empty()) return absl::OkStatus();
  return connection.Query(kAddBranches, Params(commit.commit_id, commit.branches).values())
      .status();
}

}  // namespace regressd::storage
