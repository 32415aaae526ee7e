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

absl::StatusOr<std::vector<model::Commit>> Select(pqxx::transaction_base& transaction,
                                                  const std::string& tail, const Params& params) {
  const pqxx::result rows =
      ExecParams(transaction, "SELECT " + CommitColumns() + " FROM commit c " + tail, params);
  std::vector<model::Commit> commits;
  for (const auto& row : rows) {
    auto commit = TryRead([&] { return ReadCommit(row); });
    if (!commit.ok()) return CannotRead("commit " + Get<std::string>(row[0]), commit.status());
    commits.push_back(*std::move(commit));
  }
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

// One way of naming a commit: what the name is then called, and the rows that have it.
struct Naming {
  const char* what;
  std::string tail;  // With the name as $1.
  std::string name;
};

std::vector<Naming> NamingsOf(std::string_view name) {
  constexpr char kFirstFew[] = " ORDER BY c.commit_id COLLATE \"C\" LIMIT 4";
  std::vector<Naming> namings = {
      {"id", "WHERE c.commit_id = $1", std::string(name)},
      {"describe", std::string("WHERE c.describe = $1 AND c.describe <> ''") + kFirstFew,
       std::string(name)},
      {"tag or prefix",
       std::string("WHERE c.commit_id IN (SELECT n FROM commits_named($1) AS n)") + kFirstFew,
       std::string(name)},
      {"Message-ID", std::string("WHERE c.patch_message_id = $1") + kNewestFirst + " LIMIT 1",
       std::string(WithoutBrackets(name))}};
  if (name.size() >= kMinCommitPrefix) {
    namings.push_back({"prefix", std::string("WHERE c.commit_id LIKE $1") + kFirstFew,
                       EscapedForLike(name) + "%"});
  }
  return namings;
}

absl::StatusOr<model::Commit> ResolveIn(pqxx::transaction_base& transaction,
                                        std::string_view name) {
  for (const Naming& naming : NamingsOf(name)) {
    auto found = Select(transaction, naming.tail, Params(naming.name));
    if (!found.ok()) return found.status();
    if (found->size() > 1) return Several(name, naming.what, *found);
    if (!found->empty()) return std::move(found->front());
  }
  const pqxx::result branch =
      Exec(transaction, "SELECT 1 FROM commit_branch WHERE branch = $1 LIMIT 1", name);
  if (!branch.empty() || IsMovingName(name)) return MovingName(name);
  return NoCommit(name, NearCandidates(transaction, name));
}

}  // namespace

absl::StatusOr<model::Commit> PgCommitStore::Resolve(std::string_view name) {
  if (auto status = CheckStorable("commit", name); !status.ok()) return status;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) { return ResolveIn(transaction, name); });
}

absl::StatusOr<std::vector<ListedCommit>> PgCommitStore::ListCommits(
    std::string_view branch, bool with_runs_only, std::optional<CommitPosition> after,
    std::int32_t limit) {
  using Entries = absl::StatusOr<std::vector<ListedCommit>>;
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
          const std::string instant = InstantOf(where.Bind(ToMicros(after->arrival_time)));
          where.Add("(c.arrival_time, c.commit_id COLLATE \"C\") < (" + instant + ", {})",
                    after->commit_id);
        }
        const pqxx::result rows = ExecParams(
            transaction,
            fmt::format("SELECT {}, {}, (SELECT count(*) {}) FROM commit c {}{} LIMIT {}",
                        CommitColumns(), MicrosColumn("c.arrival_time"), runs_of_commit,
                        where.clause(), kNewestFirst, limit),
            where.params());
        std::vector<ListedCommit> entries;
        for (const auto& row : rows) {
          const std::string commit_id = Get<std::string>(row[0]);
          entries.push_back({.position = {PlaceOf(row[kCommitColumnCount]), commit_id},
                             .name = "commit " + commit_id,
                             .noun = TryRead([&] {
                               return CommitEntry{
                                   .commit = ReadCommit(row),
                                   .run_count = Get<std::int64_t>(row[kCommitColumnCount + 1]),
                                   .arrival_time = TimeOf(row[kCommitColumnCount])};
                             })});
        }
        return entries;
      });
}

}  // namespace regressd::storage
