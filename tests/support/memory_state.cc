#include "tests/support/memory_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/commit_cycles.h"
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

void MemoryState::MergeIn(const model::Commit& normal) {
  const auto [place, is_new] =
      commits.try_emplace(normal.commit_id, StoredCommit{normal, clock.Now()});
  model::Commit& commit = place->second.commit;
  const std::vector<std::string> known_parents =
      is_new ? std::vector<std::string>() : commit.parent_ids;
  if (!is_new) {
    // What an agent says against the known parents is not worth losing a run for.
    auto merged = storage::MergeCommits(commit, normal);
    if (merged.ok()) commit = std::move(merged->commit);
  }
  if (!CheckNoCycle(commits).ok()) commit.parent_ids = known_parents;
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
