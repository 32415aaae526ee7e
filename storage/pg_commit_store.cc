#include "storage/pg_commit_store.h"

#include <utility>

#include "storage/commit_names.h"
#include "storage/pg_rows.h"
#include "storage/storable_text.h"

namespace regressd::storage {
namespace {

// Among so many newest commits near names are looked for.
constexpr int kNearCandidates = 1000;

constexpr char kNewestFirst[] = " ORDER BY c.arrival_time DESC, c.commit_id COLLATE \"C\" DESC";

std::vector<model::Commit> Select(pqxx::transaction_base& transaction, const std::string& tail,
                                  const Params& params) {
  const pqxx::result rows =
      ExecParams(transaction, "SELECT " + CommitColumns() + " FROM commit c " + tail, params);
  std::vector<model::Commit> commits;
  for (const auto& row : rows) commits.push_back(ReadCommit(row));
  return commits;
}

std::string EscapedForLike(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

std::vector<std::string> NearCandidates(pqxx::transaction_base& transaction,
                                        std::string_view name) {
  // A mistyped id mostly begins right.
  const std::string begin = EscapedForLike(name.substr(0, 4)) + "%";
  const pqxx::result rows =
      Exec(transaction,
           fmt::format("(SELECT c.commit_id, c.describe FROM commit c {0} LIMIT {1}) UNION ALL "
                       "(SELECT c.commit_id, c.describe FROM commit c "
                       "WHERE c.commit_id LIKE $1 LIMIT {1})",
                       kNewestFirst, kNearCandidates),
           begin);
  std::vector<std::string> names;
  for (const auto& row : rows) {
    names.push_back(Get<std::string>(row[0]));
    if (auto describe = Get<std::string>(row[1]); !describe.empty()) {
      names.push_back(std::move(describe));
    }
  }
  return names;
}

absl::Status Several(std::string_view name, std::string_view what,
                     const std::vector<model::Commit>& commits) {
  std::vector<std::string> ids;
  for (const model::Commit& commit : commits) ids.push_back(commit.commit_id);
  return SeveralCommits(name, what, ids);
}

absl::StatusOr<model::Commit> ResolveIn(pqxx::transaction_base& transaction,
                                        std::string_view name) {
  const auto by_id = Select(transaction, "WHERE c.commit_id = $1", Params(name));
  if (!by_id.empty()) return by_id.front();

  const auto described = Select(
      transaction,
      "WHERE c.describe = $1 AND c.describe <> '' ORDER BY c.commit_id COLLATE \"C\" LIMIT 4",
      Params(name));
  if (described.size() > 1) return Several(name, "describe", described);
  if (!described.empty()) return described.front();

  const auto patches =
      Select(transaction, std::string("WHERE c.patch_message_id = $1") + kNewestFirst + " LIMIT 1",
             Params(WithoutBrackets(name)));
  if (!patches.empty()) return patches.front();

  if (name.size() >= kMinCommitPrefix) {
    const auto prefixed =
        Select(transaction, "WHERE c.commit_id LIKE $1 ORDER BY c.commit_id COLLATE \"C\" LIMIT 4",
               Params(EscapedForLike(name) + "%"));
    if (prefixed.size() > 1) return Several(name, "prefix", prefixed);
    if (!prefixed.empty()) return prefixed.front();
  }
  return NoCommit(name, NearCandidates(transaction, name));
}

}  // namespace

absl::StatusOr<model::Commit> PgCommitStore::Resolve(std::string_view name) {
  if (auto status = CheckStorable("commit", name); !status.ok()) return status;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) { return ResolveIn(transaction, name); });
}

absl::StatusOr<std::vector<CommitEntry>> PgCommitStore::ListCommits(
    std::string_view branch, bool with_runs_only, std::optional<CommitPosition> after,
    std::int32_t limit) {
  using Entries = absl::StatusOr<std::vector<CommitEntry>>;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Entries {
        const std::string runs_of_commit =
            "FROM run r WHERE r.commit_id = c.commit_id AND " + RunCounts("r");
        Conditions where;
        if (!branch.empty()) {
          where.Add("c.commit_id IN (SELECT commit_id FROM commit_branch WHERE branch = {})",
                    branch);
        }
        if (with_runs_only) where.Add("EXISTS (SELECT 1 " + runs_of_commit + ")");
        if (after) {
          where.Add("(c.arrival_time, c.commit_id COLLATE \"C\") < (" + InstantOf("{}") + ", {})",
                    ToMicros(after->arrival_time), after->commit_id);
        }
        const pqxx::result rows = ExecParams(
            transaction,
            fmt::format("SELECT {}, {}, (SELECT count(*) {}) FROM commit c {}{} LIMIT {}",
                        CommitColumns(), MicrosOf("c.arrival_time"), runs_of_commit, where.clause(),
                        kNewestFirst, limit),
            where.params());
        std::vector<CommitEntry> entries;
        for (const auto& row : rows) {
          entries.push_back({.commit = ReadCommit(row),
                             .run_count = Get<std::int64_t>(row[kCommitColumnCount + 1]),
                             .arrival_time = TimeOf(row[kCommitColumnCount])});
        }
        return entries;
      });
}

}  // namespace regressd::storage
