#include "tests/support/memory_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/commit_cycles.h"
#include "storage/commit_names.h"
#include "storage/commit_rules.h"

namespace regressd::test {

absl::Status CheckNoCycle(const StoredCommits& commits) {
  std::vector<storage::ParentLink> links;
  for (const auto& [commit_id, stored] : commits) {
    for (const std::string& parent : stored.commit.parent_ids) {
      links.push_back({commit_id, parent});
    }
  }
  return storage::CheckNoCycle(storage::FindCycle(links));
}

StoredRun* MemoryState::FindRun(std::int64_t run_id) {
  const auto found = runs.find(run_id);
  return found == runs.end() || found->second.deleted ? nullptr : &found->second;
}

absl::Status MemoryState::NoRun() { return absl::NotFoundError("the run is not there any more"); }

model::Run MemoryState::Assemble(const StoredRun& stored) const {
  model::Run run = stored.run;
  run.spec.axes = axes.at(stored.axes_id);
  run.spec.commit = CommitOf(stored.commit_id);
  for (const auto& [source_id, source] : stored.sources) {
    run.sources.push_back({.source_id = source_id,
                           .name = source.source.name,
                           .content = source.source.content,
                           .last_seq = source.last_seq,
                           .metric_count = static_cast<std::int32_t>(source.source.metrics.size()),
                           .gap_count = source.gap_count});
  }
  return run;
}

model::Commit MemoryState::CommitOf(const std::string& commit_id) const {
  const auto found = commits.find(commit_id);
  if (found != commits.end()) return found->second.commit;
  model::Commit unknown;
  unknown.commit_id = commit_id;
  return unknown;
}

std::string MemoryState::MergeIn(const model::Commit& normal) {
  const auto [place, is_new] =
      commits.try_emplace(normal.commit_id, StoredCommit{normal, clock.Now()});
  model::Commit& commit = place->second.commit;
  if (is_new) commit.tags.clear();  // Told by git alone.
  std::string note;
  const std::vector<std::string> known_parents =
      is_new ? std::vector<std::string>() : commit.parent_ids;
  if (!is_new) {
    // What an agent says against the known parents is not worth losing a run for.
    auto merged = storage::MergeCommits(commit, normal);
    if (merged.ok()) {
      const std::vector<std::string> tags = commit.tags;
      commit = std::move(merged->commit);
      commit.tags = tags;
    } else {
      note = std::string(merged.status().message());
    }
  }
  if (const absl::Status cycle = CheckNoCycle(commits); !cycle.ok()) {
    commit.parent_ids = known_parents;
    note = std::string(cycle.message());
  }
  return note;
}

std::vector<std::string> MemoryState::NamedBy(std::string_view name) const {
  const std::string digits = storage::FirstDigits(name);
  std::vector<std::string> named;
  for (const auto& [commit_id, stored] : commits) {
    if (!storage::IsFullSha(commit_id)) continue;
    const std::vector<std::string>& tags = stored.commit.tags;
    const bool is_tag = std::find(tags.begin(), tags.end(), name) != tags.end();
    if (is_tag || (!digits.empty() && commit_id.starts_with(digits))) named.push_back(commit_id);
  }
  return named;
}

absl::StatusOr<model::Commit> MemoryState::ResolveRunCommit(model::Commit normal,
                                                            std::int64_t run_id) const {
  std::string& name = normal.patch ? normal.patch->base_commit_id : normal.commit_id;
  if (!storage::IsFullSha(name) && !commits.contains(name)) {
    const std::vector<std::string> named = NamedBy(name);
    const auto run = runs.find(run_id);
    const auto opened_with = [&](const std::string& id) {
      return run != runs.end() &&
             (run->second.commit_id == id || run->second.commit_id.ends_with("@" + id));
    };
    const auto known = std::find_if(named.begin(), named.end(), opened_with);
    const bool is_branch = std::any_of(commits.begin(), commits.end(), [&](const auto& entry) {
      const std::vector<std::string>& branches = entry.second.commit.branches;
      return std::find(branches.begin(), branches.end(), name) != branches.end();
    });
    if (named.empty() && (is_branch || storage::IsMovingName(name))) {
      return storage::MovingName(name);
    }
    if (named.size() > 1 && known == named.end()) {
      return storage::SeveralCommits(name, "tag or prefix", named);
    }
    if (!named.empty()) name = known == named.end() ? named.front() : *known;
  }
  if (normal.patch) normal.commit_id = model::PatchCommitId(*normal.patch);
  return normal;
}

std::int32_t MemoryState::LinkNames() {
  std::set<std::string> names;
  for (const auto& [commit_id, stored] : commits) {
    const auto& patch = stored.commit.patch;
    names.insert(patch ? patch->base_commit_id : commit_id);
  }
  std::int32_t count = 0;
  for (const std::string& name : names) {
    if (storage::IsFullSha(name)) continue;
    const std::vector<std::string> named = NamedBy(name);
    if (named.size() != 1) continue;
    Move(name, named.front());
    ++count;
  }
  return count;
}

void MemoryState::Move(const std::string& name, const std::string& commit_id) {
  const StoredCommits before = commits;
  for (const auto& [patch_id, stored] : before) {
    if (!stored.commit.patch || stored.commit.patch->base_commit_id != name) continue;
    StoredCommit moved = stored;
    moved.commit.patch->base_commit_id = commit_id;
    moved.commit.commit_id = model::PatchCommitId(*moved.commit.patch);
    commits.try_emplace(moved.commit.commit_id, moved);
    Move(patch_id, moved.commit.commit_id);
  }
  for (auto& [run_id, run] : runs) {
    if (run.commit_id != name) continue;
    run.commit_id = commit_id;
    if (due.contains(run_id)) due[run_id].group.second = commit_id;
  }
  const std::map<GroupKey, StoredGroup> old_groups = std::exchange(groups, {});
  for (const auto& [key, group] : old_groups) {
    const bool moves = key.second == name;
    StoredGroup& moved =
        groups.try_emplace({key.first, moves ? commit_id : key.second}, group).first->second;
    moved.arrival_time = std::min(moved.arrival_time, group.arrival_time);
    if (moved.base_commit_id == name) moved.base_commit_id = commit_id;
  }
  const auto is_told = [&](const StoredRegression& r, const std::string& base,
                           const std::string& head) {
    return std::any_of(regressions.begin(), regressions.end(), [&](const auto& entry) {
      const model::Regression& other = entry.second.known.regression;
      return entry.second.axes_id == r.axes_id && other.base.commit_id == base &&
             other.head.commit_id == head;
    });
  };
  for (auto& [id, stored] : regressions) {
    model::Regression& r = stored.known.regression;
    const std::string base = r.base.commit_id == name ? commit_id : r.base.commit_id;
    const std::string head = r.head.commit_id == name ? commit_id : r.head.commit_id;
    if (base == r.base.commit_id && head == r.head.commit_id) continue;
    if (base != head && !is_told(stored, base, head)) {
      r.base.commit_id = base;
      r.head.commit_id = head;
      ++r.version;
    } else if (r.state != model::RegressionState::kRetracted) {
      r.state = model::RegressionState::kRetracted;
      Record(&r, storage::kWorkerName, "the same commit");
    }
  }
  if (const auto known = commits.find(name); known != commits.end()) {
    model::Commit added = known->second.commit;
    added.commit_id = commit_id;
    added.parent_ids.clear();
    added.root = false;
    StoredCommit& target = commits.at(commit_id);
    if (auto merged = storage::MergeCommits(target.commit, added); merged.ok()) {
      target.commit = std::move(merged->commit);
    }
    target.arrival_time = std::min(target.arrival_time, known->second.arrival_time);
    commits.erase(known);
  }
  for (auto& [id, stored] : commits) {
    for (std::string& parent : stored.commit.parent_ids) {
      if (parent == name && id != commit_id) parent = commit_id;
    }
  }
  for (const auto& [key, group] : groups) {
    if (key.second != commit_id) continue;
    for (const auto& [run_id, run] : runs) {
      if (!run.counts() || GroupKey{run.axes_id, run.commit_id} != key) continue;
      Queue(run_id);
      break;
    }
  }
}

void MemoryState::Queue(std::int64_t run_id) {
  const StoredRun& run = runs.at(run_id);
  due[run_id] = {
      .group = {run.axes_id, run.commit_id}, .due_time = clock.Now(), .queued = ++queued_count};
}

void MemoryState::Record(model::Regression* regression, std::string_view created_by,
                         std::string_view comment) {
  regression->update_time = clock.Now();
  ++regression->version;
  events.push_back({.event_id = static_cast<std::int64_t>(events.size()) + 1,
                    .regression_id = regression->regression_id,
                    .state = regression->state,
                    .event_time = clock.Now(),
                    .created_by = std::string(created_by),
                    .comment = std::string(comment)});
}

bool MemoryState::HasRuns(const GroupKey& key) const {
  return std::any_of(runs.begin(), runs.end(), [&key](const auto& entry) {
    const StoredRun& run = entry.second;
    return run.counts() && run.axes_id == key.first && run.commit_id == key.second;
  });
}

}  // namespace regressd::test
