// Which groups are compared: PairsOf over first parents.

#include <map>
#include <utility>

#include "storage/base_rules.h"
#include "storage/pg_regression_store.h"
#include "storage/pg_rows.h"

namespace regressd::storage {
namespace {

std::vector<PlacedGroup> LoadPlaced(pqxx::transaction_base& transaction, std::int64_t axes_id) {
  const pqxx::result rows =
      Exec(transaction,
           fmt::format("SELECT g.commit_id, {}, g.base_commit_id, c.patch_base_commit_id, "
                       "coalesce(c.parents_known, false), EXISTS (SELECT 1 FROM run r "
                       "WHERE r.axes_id = g.axes_id AND r.commit_id = g.commit_id AND {}) "
                       "FROM run_group g LEFT JOIN commit c USING (commit_id) "
                       "WHERE g.axes_id = $1::int8",
                       MicrosOf("g.arrival_time"), RunCounts("r")),
           axes_id);
  std::vector<PlacedGroup> groups;
  for (const auto& row : rows) {
    groups.push_back({.commit_id = Get<std::string>(row[0]),
                      .arrival_time = PlaceOf(row[1]),
                      .remembered_base = GetOptional<std::string>(row[2]),
                      .patch_base = GetOptional<std::string>(row[3]),
                      .parents_known = Get<bool>(row[4]),
                      .has_runs = Get<bool>(row[5])});
  }
  return groups;
}

// Walks from all commits at once; each walk ends at the first of `goals`, or after
// kMaxAncestorSteps.
std::map<std::string, std::string> WalkToNearest(pqxx::transaction_base& transaction,
                                                 const std::vector<std::string>& commit_ids,
                                                 const std::vector<std::string>& goals) {
  if (commit_ids.empty()) return {};
  const pqxx::result rows =
      Exec(transaction,
           fmt::format("WITH RECURSIVE walk(head, commit_id, step) AS ("
                       "SELECT h, h, 0 FROM unnest($1::text[]) AS h UNION ALL "
                       "SELECT w.head, p.parent_id, w.step + 1 FROM walk w "
                       "JOIN commit_parent p ON p.commit_id = w.commit_id AND p.ord = 1 "
                       "WHERE w.step < {} AND (w.step = 0 OR w.commit_id <> ALL ($2::text[]))) "
                       "SELECT head, commit_id FROM walk WHERE step > 0 AND commit_id <> head "
                       "AND commit_id = ANY ($2::text[])",
                       kMaxAncestorSteps),
           commit_ids, goals);
  std::map<std::string, std::string> nearest;
  for (const auto& row : rows) {
    nearest[Get<std::string>(row[0])] = Get<std::string>(row[1]);
  }
  return nearest;
}

}  // namespace

absl::StatusOr<std::vector<RegressionStore::GroupPair>> PgRegressionStore::PairsOf(
    const DueGroup& group) {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<GroupPair>> {
        const std::vector<PlacedGroup> placed = LoadPlaced(transaction, group.axes_id);
        std::vector<std::string> goals;
        for (const PlacedGroup& g : placed) {
          if (g.has_runs) goals.push_back(g.commit_id);
        }
        return ChoosePairs(group.commit_id, placed,
                           [&](const std::vector<std::string>& commit_ids) {
                             return WalkToNearest(transaction, commit_ids, goals);
                           });
      });
}

}  // namespace regressd::storage
