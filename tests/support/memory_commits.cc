#include <algorithm>
#include <tuple>

#include "storage/commit_names.h"
#include "storage/commit_rules.h"
#include "storage/storable_text.h"
#include "tests/support/memory_state.h"
#include "tests/support/memory_store.h"

namespace regressd::test {
namespace {

using Commits = StoredCommits;

// The commits that `matches`, newest arrival first.
template <typename Matches>
std::vector<const StoredCommit*> Select(const Commits& commits, Matches&& matches) {
  std::vector<const StoredCommit*> selected;
  for (const auto& [commit_id, stored] : commits) {
    if (matches(stored.commit)) selected.push_back(&stored);
  }
  std::sort(selected.begin(), selected.end(), [](const StoredCommit* a, const StoredCommit* b) {
    return std::tie(a->arrival_time, a->commit.commit_id) >
           std::tie(b->arrival_time, b->commit.commit_id);
  });
  return selected;
}

absl::Status Several(std::string_view name, std::string_view what,
                     const std::vector<const StoredCommit*>& commits) {
  std::vector<std::string> ids;
  for (const StoredCommit* stored : commits) ids.push_back(stored->commit.commit_id);
  std::sort(ids.begin(), ids.end());
  return storage::SeveralCommits(name, what, ids);
}

// It has no base left, and the way to one may become known.
bool LooksForBase(const MemoryState& state, const GroupKey& key, const StoredGroup& group) {
  const bool has_base = group.base_commit_id && state.HasRuns({key.first, *group.base_commit_id});
  return !has_base && !state.CommitOf(key.second).parent_ids.empty();
}

void QueueMoved(const std::vector<std::string>& learned, MemoryState* state) {
  for (const auto& [key, group] : state->groups) {
    const bool moved = std::find(learned.begin(), learned.end(), key.second) != learned.end();
    if (!moved && !LooksForBase(*state, key, group)) continue;
    for (const auto& [run_id, run] : state->runs) {
      if (!run.counts() || GroupKey{run.axes_id, run.commit_id} != key) continue;
      state->Queue(run_id);
      break;
    }
  }
}

}  // namespace

absl::StatusOr<storage::AddCommitsOutcome> MemoryStore::AddCommits(
    std::span<const model::Commit> commits, std::string_view created_by) {
  if (auto status = storage::CheckStorable("created_by", created_by); !status.ok()) return status;
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  Commits after = state_->commits;
  storage::AddCommitsOutcome outcome;
  std::vector<std::string> learned;
  for (const model::Commit& given : commits) {
    auto normal = storage::NormalCommit(given);
    if (!normal.ok()) return normal.status();
    const auto [place, is_new] =
        after.try_emplace(normal->commit_id, StoredCommit{*normal, state_->clock.Now()});
    if (is_new) {
      ++outcome.added_count;
      if (storage::ParentsKnown(*normal)) learned.push_back(normal->commit_id);
      continue;
    }
    auto merged = storage::MergeCommits(place->second.commit, *normal);
    if (!merged.ok()) return merged.status();
    ++(merged->changed ? outcome.completed_count : outcome.unchanged_count);
    if (merged->parents_learned) learned.push_back(normal->commit_id);
    place->second.commit = std::move(merged->commit);
  }
  if (auto status = CheckNoCycle(after); !status.ok()) return status;
  state_->commits = std::move(after);
  outcome.linked_count = state_->LinkNames();
  if (!learned.empty()) QueueMoved(learned, state_.get());
  return outcome;
}

absl::StatusOr<model::Commit> MemoryStore::Resolve(std::string_view name) {
  if (auto status = storage::CheckStorable("commit", name); !status.ok()) return status;
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const Commits& commits = state_->commits;
  if (const auto found = commits.find(name); found != commits.end()) return found->second.commit;

  const auto described =
      Select(commits, [&](const model::Commit& c) { return !name.empty() && c.describe == name; });
  if (described.size() > 1) return Several(name, "describe", described);
  if (!described.empty()) return described.front()->commit;

  const std::vector<std::string> named = state_->NamedBy(name);
  if (named.size() > 1) return storage::SeveralCommits(name, "tag or prefix", named);
  if (!named.empty()) return commits.find(named.front())->second.commit;

  const std::string_view message_id = storage::WithoutBrackets(name);
  const auto patches = Select(commits, [&](const model::Commit& c) {
    return c.patch && c.patch->message_id == message_id;
  });
  if (!patches.empty()) return patches.front()->commit;

  if (name.size() >= storage::kMinCommitPrefix) {
    const auto prefixed =
        Select(commits, [&](const model::Commit& c) { return c.commit_id.starts_with(name); });
    if (prefixed.size() > 1) return Several(name, "prefix", prefixed);
    if (!prefixed.empty()) return prefixed.front()->commit;
  }
  const bool is_branch = std::any_of(commits.begin(), commits.end(), [&](const auto& entry) {
    const std::vector<std::string>& branches = entry.second.commit.branches;
    return std::find(branches.begin(), branches.end(), name) != branches.end();
  });
  if (is_branch || storage::IsMovingName(name)) return storage::MovingName(name);
  std::vector<std::string> known;
  for (const auto& [commit_id, stored] : commits) {
    known.push_back(commit_id);
    if (!stored.commit.describe.empty()) known.push_back(stored.commit.describe);
  }
  return storage::NoCommit(name, known);
}

absl::StatusOr<std::vector<storage::ListedCommit>> MemoryStore::ListCommits(
    std::string_view branch, bool with_runs_only, std::optional<storage::CommitPosition> after,
    std::int32_t limit) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const auto on_branch = Select(state_->commits, [&](const model::Commit& c) {
    return branch.empty() ||
           std::find(c.branches.begin(), c.branches.end(), branch) != c.branches.end();
  });
  std::vector<storage::ListedCommit> entries;
  for (const StoredCommit* stored : on_branch) {
    if (entries.size() == static_cast<std::size_t>(limit)) break;
    if (after && std::tie(stored->arrival_time, stored->commit.commit_id) >=
                     std::tie(after->arrival_time, after->commit_id)) {
      continue;
    }
    const auto run_count =
        std::count_if(state_->runs.begin(), state_->runs.end(), [&](const auto& entry) {
          return entry.second.counts() && entry.second.commit_id == stored->commit.commit_id;
        });
    if (with_runs_only && run_count == 0) continue;
    const std::string& commit_id = stored->commit.commit_id;
    entries.push_back(
        {.position = {stored->arrival_time, commit_id},
         .name = "commit " + commit_id,
         .noun = storage::CommitEntry{stored->commit, run_count, stored->arrival_time}});
  }
  return entries;
}

}  // namespace regressd::test
