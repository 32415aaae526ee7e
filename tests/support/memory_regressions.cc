#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "storage/storable_text.h"
#include "tests/support/memory_state.h"
#include "tests/support/memory_store.h"

namespace regressd::test {
namespace {

model::Regression Whole(const MemoryState& state, const StoredRegression& stored) {
  model::Regression regression = stored.known.regression;
  regression.axes = state.axes.at(stored.axes_id);
  regression.base = state.CommitOf(regression.base.commit_id);
  regression.head = state.CommitOf(regression.head.commit_id);
  return regression;
}

model::Regression HeadlineOnly(const MemoryState& state, const StoredRegression& stored) {
  model::Regression regression = Whole(state, stored);
  if (regression.metrics.size() > 1) regression.metrics.resize(1);
  return regression;
}

absl::Status NoRegression(std::int64_t regression_id) {
  return absl::NotFoundError(fmt::format("there is no regression {}", regression_id));
}

}  // namespace

absl::StatusOr<std::vector<storage::ListedRegression>> MemoryStore::ListRegressions(
    const storage::RegressionFilter& filter, std::optional<storage::RegressionPosition> after,
    std::int32_t limit) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  std::vector<model::Regression> regressions;
  for (const auto& [regression_id, stored] : state_->regressions) {
    const model::Regression& r = stored.known.regression;
    const bool in_state =
        filter.states.empty() ||
        std::find(filter.states.begin(), filter.states.end(), r.state) != filter.states.end();
    if (!in_state || (filter.head_commit_id && r.head.commit_id != *filter.head_commit_id) ||
        !state_->axes.at(stored.axes_id).Contains(filter.axes) ||
        (after && std::tuple(r.create_time, regression_id) >=
                      std::tuple(after->create_time, after->regression_id))) {
      continue;
    }
    regressions.push_back(HeadlineOnly(*state_, stored));
  }
  std::sort(regressions.begin(), regressions.end(), [](const auto& a, const auto& b) {
    return std::tie(a.create_time, a.regression_id) > std::tie(b.create_time, b.regression_id);
  });
  if (regressions.size() > static_cast<std::size_t>(limit)) {
    regressions.resize(static_cast<std::size_t>(limit));
  }
  std::vector<storage::ListedRegression> listed;
  for (model::Regression& regression : regressions) {
    listed.push_back({.position = {regression.create_time, regression.regression_id},
                      .name = fmt::format("regression {}", regression.regression_id),
                      .noun = std::move(regression)});
  }
  return listed;
}

absl::StatusOr<storage::RegressionWithEvents> MemoryStore::GetRegression(
    std::int64_t regression_id) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const auto found = state_->regressions.find(regression_id);
  if (found == state_->regressions.end()) return NoRegression(regression_id);
  storage::RegressionWithEvents result{.regression = Whole(*state_, found->second), .events = {}};
  for (const model::RegressionEvent& event : state_->events) {
    if (event.regression_id == regression_id) result.events.push_back(event);
  }
  return result;
}

absl::StatusOr<model::Regression> MemoryStore::SetState(
    std::int64_t regression_id, model::RegressionState state, std::string_view comment,
    std::string_view changed_by, std::optional<std::int64_t> expected_version) {
  if (auto status = storage::CheckStateChange(state, comment, changed_by); !status.ok()) {
    return status;
  }
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const auto found = state_->regressions.find(regression_id);
  if (found == state_->regressions.end()) return NoRegression(regression_id);
  model::Regression& regression = found->second.known.regression;
  if (auto status = storage::CheckVersion(regression, expected_version); !status.ok()) {
    return status;
  }
  regression.state = state;
  found->second.known.state_by_person = true;
  state_->Record(&regression, changed_by, comment);
  return Whole(*state_, found->second);
}

absl::StatusOr<std::int64_t> MemoryStore::LastEventId() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  return static_cast<std::int64_t>(state_->events.size());
}

absl::StatusOr<std::vector<storage::ListedChange>> MemoryStore::ListChanges(std::int64_t event_id,
                                                                            std::int32_t limit) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  std::vector<storage::ListedChange> changes;
  for (const model::RegressionEvent& event : state_->events) {
    if (changes.size() == static_cast<std::size_t>(limit)) break;
    if (event.event_id <= event_id) continue;
    changes.push_back(
        {.position = event.event_id,
         .name = fmt::format("event {} of regression {}", event.event_id, event.regression_id),
         .noun = storage::RegressionChange{
             event, HeadlineOnly(*state_, state_->regressions.at(event.regression_id))}});
  }
  return changes;
}

absl::StatusOr<std::int64_t> MemoryStore::CountDue() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  std::set<GroupKey> groups;
  for (const auto& [run_id, due] : state_->due) groups.insert(due.group);
  return static_cast<std::int64_t>(groups.size());
}

}  // namespace regressd::test
