// Commits and their parents as people and bots tell them.

#include <map>
#include <utility>

#include "storage/commit_cycles.h"
#include "storage/commit_rules.h"
#include "storage/pg_commit_store.h"
#include "storage/pg_link_names.h"
#include "storage/pg_rows.h"
#include "storage/storable_text.h"

namespace regressd::storage {
namespace {

// Each id once, in the order of its first naming.
struct Additions {
  std::vector<std::string> order;
  std::multimap<std::string, model::Commit> commits;
};

struct Changes {
  AddCommitsOutcome outcome;
  std::vector<model::Commit> changed;
  std::vector<std::string> learned_ids;  ///< Commits that now know their parents.
};

absl::StatusOr<Additions> Normalize(std::span<const model::Commit> commits) {
  Additions additions;
  for (const model::Commit& given : commits) {
    auto normal = NormalCommit(given);
    if (!normal.ok()) return normal.status();
    const std::string commit_id = normal->commit_id;
    if (!additions.commits.contains(commit_id)) additions.order.push_back(commit_id);
    additions.commits.emplace(commit_id, *std::move(normal));
  }
  return additions;
}

// Makes a row for each new commit, with the patch that its id stands for; the rest is filled in as
// for known ones.
std::vector<std::string> InsertBare(pqxx::transaction_base& transaction, const Additions& additions,
                                    std::string_view created_by) {
  std::vector<std::optional<std::string>> message_ids;
  std::vector<std::optional<std::string>> bases;
  std::vector<std::optional<std::int32_t>> numbers;
  std::vector<std::optional<std::int32_t>> totals;
  std::vector<std::optional<std::int32_t>> versions;
  for (const std::string& commit_id : additions.order) {
    const auto& patch = additions.commits.find(commit_id)->second.patch;
    message_ids.push_back(patch ? std::optional(patch->message_id) : std::nullopt);
    bases.push_back(patch ? std::optional(patch->base_commit_id) : std::nullopt);
    numbers.push_back(patch ? std::optional(patch->number) : std::nullopt);
    totals.push_back(patch ? std::optional(patch->total) : std::nullopt);
    versions.push_back(patch ? std::optional(patch->series_version) : std::nullopt);
  }
  const pqxx::result rows =
      Exec(transaction,
           "INSERT INTO commit (commit_id, created_by, patch_message_id, patch_base_commit_id, "
           "patch_number, patch_total, patch_series_version) "
           "SELECT u.id, $7, u.message_id, u.base, u.number, u.total, u.version "
           "FROM unnest($1::text[], $2::text[], $3::text[], $4::int4[], $5::int4[], $6::int4[]) "
           "WITH ORDINALITY AS u(id, message_id, base, number, total, version, ord) ORDER BY u.ord "
           "ON CONFLICT (commit_id) DO NOTHING RETURNING commit_id",
           additions.order, message_ids, bases, numbers, totals, versions, created_by);
  std::vector<std::string> added;
  for (const auto& row : rows) added.push_back(Get<std::string>(row[0]));
  return added;
}

absl::StatusOr<Changes> Merge(const Additions& additions, const std::vector<std::string>& added,
                              std::map<std::string, absl::StatusOr<model::Commit>> known) {
  Changes changes;
  changes.outcome.added_count = static_cast<std::int32_t>(added.size());
  std::map<std::string, bool> is_new;
  for (const std::string& commit_id : added) is_new[commit_id] = true;
  for (const std::string& commit_id : additions.order) {
    absl::StatusOr<model::Commit>& stored = known.at(commit_id);
    if (!stored.ok()) return stored.status();
    model::Commit& commit = *stored;
    bool changed = false;
    const auto [begin, end] = additions.commits.equal_range(commit_id);
    for (auto given = begin; given != end; ++given) {
      auto merged = MergeCommits(commit, given->second);
      if (!merged.ok()) return merged.status();
      commit = std::move(merged->commit);
      changed |= merged->changed;
      if (merged->parents_learned) changes.learned_ids.push_back(commit_id);
      if (is_new[commit_id] && given == begin) continue;  // Counted as added.
      ++(merged->changed ? changes.outcome.completed_count : changes.outcome.unchanged_count);
    }
    if (changed) changes.changed.push_back(commit);
  }
  return changes;
}

void UpdateRows(pqxx::transaction_base& transaction, const std::vector<model::Commit>& commits) {
  std::vector<std::string> ids, describes, subjects, authors, trailers;
  std::vector<std::optional<std::int64_t>> times;
  std::vector<bool> parents_known;
  for (const model::Commit& commit : commits) {
    ids.push_back(commit.commit_id);
    describes.push_back(commit.describe);
    subjects.push_back(commit.subject);
    authors.push_back(commit.author);
    times.push_back(commit.author_time ? std::optional(ToMicros(*commit.author_time))
                                       : std::nullopt);
    parents_known.push_back(ParentsKnown(commit));
    trailers.push_back(*Params(commit.trailers).values().front());  // A literal in a literal.
  }
  Exec(transaction,
       "UPDATE commit c SET describe = u.describe, subject = u.subject, author = u.author, "
       "author_time = " +
           InstantOf("u.author_time") +
           ", parents_known = u.parents_known, trailers = u.trailers::text[] "
           "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::bool[], "
           "$7::text[]) AS u(id, describe, subject, author, author_time, parents_known, trailers) "
           "WHERE c.commit_id = u.id",
       ids, describes, subjects, authors, times, parents_known, trailers);
}

void InsertLists(pqxx::transaction_base& transaction, const Changes& changes) {
  std::vector<std::string> children, parents, holders, branches, tagged, tags;
  std::vector<std::int64_t> places;
  for (const model::Commit& commit : changes.changed) {
    for (std::size_t i = 0; i < commit.parent_ids.size(); ++i) {
      children.push_back(commit.commit_id);
      places.push_back(static_cast<std::int64_t>(i) + 1);
      parents.push_back(commit.parent_ids[i]);
    }
    for (const std::string& branch : commit.branches) {
      holders.push_back(commit.commit_id);
      branches.push_back(branch);
    }
    for (const std::string& tag : commit.tags) {
      tagged.push_back(commit.commit_id);
      tags.push_back(tag);
    }
  }
  Exec(transaction,
       "INSERT INTO commit_parent (commit_id, ord, parent_id) "
       "SELECT * FROM unnest($1::text[], $2::int4[], $3::text[]) ON CONFLICT DO NOTHING",
       children, places, parents);
  Exec(transaction,
       "INSERT INTO commit_branch (commit_id, branch) "
       "SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING",
       holders, branches);
  Exec(transaction,
       "INSERT INTO commit_tag (commit_id, tag) "
       "SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING",
       tagged, tags);
}

absl::Status CheckParents(pqxx::transaction_base& transaction,
                          const std::vector<std::string>& learned_ids) {
  return CheckNoCycleThrough(
      learned_ids,
      [&](const std::string& sql, const std::vector<std::string>& commit_ids,
          std::int64_t limit) -> absl::StatusOr<std::vector<ParentLink>> {
        std::vector<ParentLink> links;
        for (const auto& row : Exec(transaction, sql, commit_ids, limit)) {
          links.push_back({Get<std::string>(row[0]), Get<std::string>(row[1])});
        }
        return links;
      });
}

// The groups of the commits whose parents were not known, and those that have no base left: it may
// be behind these commits.
void QueueMoved(pqxx::transaction_base& transaction, const std::vector<std::string>& learned_ids) {
  if (learned_ids.empty()) return;
  QueueForJudging(
      transaction,
      "SELECT DISTINCT ON (g.axes_id, g.commit_id) r.run_id, g.axes_id, g.commit_id "
      "FROM run_group g JOIN run r ON r.axes_id = g.axes_id AND r.commit_id = g.commit_id "
      "WHERE " +
          RunCounts("r") +
          " AND (g.commit_id = ANY($1::text[]) OR ("
          "EXISTS (SELECT 1 FROM commit_parent p WHERE p.commit_id = g.commit_id) "
          "AND NOT EXISTS (SELECT 1 FROM run b WHERE b.axes_id = g.axes_id "
          "AND b.commit_id = g.base_commit_id AND " +
          RunCounts("b") + "))) ORDER BY g.axes_id, g.commit_id, r.run_id",
      Params(learned_ids));
}

}  // namespace

absl::StatusOr<AddCommitsOutcome> PgCommitStore::AddCommits(std::span<const model::Commit> commits,
                                                            std::string_view created_by) {
  if (auto status = CheckStorable("created_by", created_by); !status.ok()) return status;
  const absl::StatusOr<Additions> additions = Normalize(commits);
  if (!additions.ok()) return additions.status();
  if (additions->order.empty()) return AddCommitsOutcome{};
  return InTransaction(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<AddCommitsOutcome> {
        // Also because two calls that add the same commits in different orders would wait for each
        // other.
        Exec(transaction, "SELECT pg_advisory_xact_lock($1::int8)", kCommitParentsLock);
        const auto added = InsertBare(transaction, *additions, created_by);
        // A run that is opened right now may fill in the same commits.
        Exec(transaction, "SELECT 1 FROM commit WHERE commit_id = ANY($1::text[]) FOR UPDATE",
             additions->order);
        const auto changes = Merge(*additions, added, LoadCommits(transaction, additions->order));
        if (!changes.ok()) return changes.status();
        UpdateRows(transaction, changes->changed);
        InsertLists(transaction, *changes);
        if (auto status = CheckParents(transaction, changes->learned_ids); !status.ok()) {
          return status;
        }
        AddCommitsOutcome outcome = changes->outcome;
        outcome.linked_count = LinkNames(transaction);
        // A name may have stood as a parent.
        if (outcome.linked_count > 0) {
          if (auto status = CheckParents(transaction, additions->order); !status.ok()) {
            return status;
          }
        }
        QueueMoved(transaction, changes->learned_ids);
        return outcome;
      });
}

}  // namespace regressd::storage
