#include <algorithm>
#include <chrono>
#include <tuple>

#include "storage/base_rules.h"
#include "storage/commit_rules.h"
#include "storage/storable_text.h"
#include "tests/support/memory_state.h"
#include "tests/support/memory_store.h"

namespace regressd::test {
namespace {

using Held = std::vector<std::pair<std::int64_t, std::int64_t>>;  // run_id, queued.

// The group of the row that is due first and whose axes no worker holds.
std::optional<GroupKey> NextGroup(const MemoryState& state) {
  std::optional<std::pair<model::Time, std::int64_t>> first;
  std::optional<GroupKey> group;
  for (const auto& [run_id, due] : state.due) {
    if (due.due_time > state.clock.Now() || state.judged_axes.contains(due.group.first)) continue;
    const std::pair place{due.due_time, run_id};
    if (first && *first <= place) continue;
    first = place;
    group = due.group;
  }
  return group;
}

void PutBack(const Held& held, MemoryState* state) {
  for (const auto& [run_id, queued] : held) {
    const auto due = state->due.find(run_id);
    if (due == state->due.end()) continue;
    ++due->second.attempts;
    due->second.due_time = state->clock.Now() + storage::RetryDelay(due->second.attempts);
  }
}

void Remove(const Held& held, MemoryState* state) {
  for (const auto& [run_id, queued] : held) {
    const auto due = state->due.find(run_id);
    if (due != state->due.end() && due->second.queued == queued) state->due.erase(due);
  }
}

absl::Status CheckTexts(const std::vector<storage::Detection>& detections) {
  for (const storage::Detection& detection : detections) {
    if (!detection.regression) continue;
    auto status = storage::CheckStorable("title", detection.regression->title);
    for (const model::RegressionMetric& m : detection.regression->metrics) {
      if (status.ok()) status = storage::CheckStorable("metric", m.metric.name);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

StoredRegression* Find(const storage::Detection& detection, MemoryState* state) {
  for (auto& [regression_id, stored] : state->regressions) {
    const model::Regression& r = stored.known.regression;
    if (stored.axes_id == detection.axes_id && r.base.commit_id == detection.base_commit_id &&
        r.head.commit_id == detection.head_commit_id) {
      return &stored;
    }
  }
  return nullptr;
}

void Insert(const storage::Detection& detection, model::RegressionState regression_state,
            MemoryState* state) {
  const auto regression_id = static_cast<std::int64_t>(state->regressions.size()) + 1;
  StoredRegression stored{.known = {.regression = *detection.regression},
                          .axes_id = detection.axes_id};
  model::Regression& r = stored.known.regression;
  r.regression_id = regression_id;
  r.state = regression_state;
  r.base.commit_id = detection.base_commit_id;
  r.head.commit_id = detection.head_commit_id;
  r.create_time = r.update_time = state->clock.Now();
  r.created_by = storage::kWorkerName;
  r.version = 0;
  auto [place, is_new] = state->regressions.emplace(regression_id, std::move(stored));
  state->Record(&place->second.known.regression, storage::kWorkerName, "");
}

void Update(const model::Regression& found, const storage::DetectionEffect& effect,
            MemoryState* state, model::Regression* known) {
  if (!effect.changed) return;
  known->state = effect.state;
  known->title = found.title;
  known->headline_metric = found.headline_metric;
  known->metrics = found.metrics;
  known->facts = found.facts;
  if (effect.visible) {
    state->Record(known, storage::kWorkerName, "");
  } else {
    known->update_time = state->clock.Now();
    ++known->version;
  }
}

void Retract(const char* comment, MemoryState* state, StoredRegression* stored) {
  const storage::DetectionEffect effect = storage::EffectOfNothing(stored->known);
  if (!effect.changed) return;
  stored->known.regression.state = effect.state;
  state->Record(&stored->known.regression, storage::kWorkerName, comment);
}

void Apply(const storage::Detection& detection, MemoryState* state) {
  StoredRegression* stored = Find(detection, state);
  if (!detection.regression) {
    if (stored != nullptr) Retract(storage::kNoLongerFound, state, stored);
    return;
  }
  const auto effect =
      storage::EffectOfFinding(stored == nullptr ? nullptr : &stored->known, *detection.regression);
  if (stored == nullptr) {
    Insert(detection, effect.state, state);
  } else {
    Update(*detection.regression, effect, state, &stored->known.regression);
  }
}

void RememberBases(const std::vector<storage::Detection>& detections, MemoryState* state) {
  for (const storage::Detection& detection : detections) {
    const auto group = state->groups.find({detection.axes_id, detection.head_commit_id});
    if (group != state->groups.end()) group->second.base_commit_id = detection.base_commit_id;
  }
}

// A head has one base: what was found against another one is no finding any more.
void RetractOtherBases(const std::vector<storage::Detection>& detections, MemoryState* state) {
  for (auto& [regression_id, stored] : state->regressions) {
    const model::Regression& r = stored.known.regression;
    const auto of_head = [&](const storage::Detection& d) {
      return d.axes_id == stored.axes_id && d.head_commit_id == r.head.commit_id;
    };
    const bool judged = std::any_of(detections.begin(), detections.end(), of_head);
    const bool current =
        std::any_of(detections.begin(), detections.end(), [&](const storage::Detection& d) {
          return of_head(d) && d.base_commit_id == r.base.commit_id;
        });
    if (judged && !current) Retract(storage::kOtherBase, state, &stored);
  }
}

std::optional<std::string> NearestAncestor(const MemoryState& state, const GroupKey& key) {
  std::string commit_id = key.second;
  for (int step = 0; step < storage::kMaxAncestorSteps; ++step) {
    const model::Commit commit = state.CommitOf(commit_id);
    if (commit.parent_ids.empty()) return std::nullopt;
    commit_id = commit.parent_ids.front();
    if (commit_id == key.second) return std::nullopt;
    if (state.HasRuns({key.first, commit_id})) return commit_id;
  }
  return std::nullopt;
}

std::vector<storage::PlacedGroup> GroupsOf(const MemoryState& state, std::int64_t axes_id) {
  std::vector<storage::PlacedGroup> groups;
  for (const auto& [key, stored] : state.groups) {
    if (key.first != axes_id) continue;
    const model::Commit commit = state.CommitOf(key.second);
    storage::PlacedGroup& group = groups.emplace_back();
    group.commit_id = key.second;
    group.arrival_time = stored.arrival_time;
    group.remembered_base = stored.base_commit_id;
    if (commit.patch) group.patch_base = commit.patch->base_commit_id;
    group.parents_known = storage::ParentsKnown(commit);
    group.has_runs = state.HasRuns(key);
  }
  return groups;
}

}  // namespace

absl::StatusOr<bool> MemoryStore::ProcessOneDue(
    const std::function<absl::StatusOr<std::vector<storage::Detection>>(const storage::DueGroup&)>&
        judge) {
  std::optional<GroupKey> group;
  Held held;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->failure.ok()) return OwnStatus(state_->failure);
    group = NextGroup(*state_);
    if (!group) return false;
    for (const auto& [run_id, due] : state_->due) {
      if (due.group == *group) held.emplace_back(run_id, due.queued);
    }
    state_->judged_axes.insert(group->first);
  }
  const auto detections = judge({.axes_id = group->first, .commit_id = group->second});
  const std::lock_guard lock(state_->mutex);
  state_->judged_axes.erase(group->first);
  const absl::Status storable = detections.ok() ? CheckTexts(*detections) : detections.status();
  if (!storable.ok()) {
    PutBack(held, state_.get());
    return storable;
  }
  for (const storage::Detection& detection : *detections) Apply(detection, state_.get());
  RememberBases(*detections, state_.get());
  RetractOtherBases(*detections, state_.get());
  Remove(held, state_.get());
  return true;
}

absl::StatusOr<std::vector<storage::RegressionStore::GroupPair>> MemoryStore::PairsOf(
    const storage::DueGroup& group) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const auto nearest = [&](const std::vector<std::string>& commit_ids) {
    std::map<std::string, std::string> ancestors;
    for (const std::string& commit_id : commit_ids) {
      const auto ancestor = NearestAncestor(*state_, {group.axes_id, commit_id});
      if (ancestor) ancestors[commit_id] = *ancestor;
    }
    return ancestors;
  };
  return storage::ChoosePairs(group.commit_id, GroupsOf(*state_, group.axes_id), nearest);
}

}  // namespace regressd::test
