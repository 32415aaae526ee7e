#include "services/detect/detector.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "services/analysis/blocks.h"
#include "services/detect/find_regression.h"

namespace regressd::detect {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{30'000};

void Wait(const std::stop_token& stop, milliseconds duration) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
}

// The group of `commit_id` among those that were loaded; none when it has no run at all.
analysis::ColumnGroups ColumnOf(const std::vector<model::RunGroup>& groups,
                                const std::string& commit_id) {
  analysis::ColumnGroups column;
  for (const model::RunGroup& group : groups) {
    if (group.commit.commit_id == commit_id) column.groups.push_back(group);
  }
  return column;
}

absl::Status Named(const storage::DueGroup& group, const absl::Status& status) {
  return {status.code(), fmt::format("judging commit {} of axes {}: {}", group.commit_id,
                                     group.axes_id, std::string(status.message()))};
}

}  // namespace

milliseconds CalmDown(int failure_count) {
  milliseconds pause = kFirstPause;
  for (int i = 1; i < failure_count && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

Detector::Detector(storage::RunStore& runs, storage::RegressionStore& regressions,
                   analysis::JudgeOptions options)
    : runs_(runs), regressions_(regressions), options_(options) {}

void Detector::Run(std::stop_token stop, milliseconds poll_interval) {
  int failure_count = 0;
  while (!stop.stop_requested()) {
    const absl::StatusOr<bool> judged = Step();
    if (judged.ok()) {
      failure_count = 0;
      if (!*judged) Wait(stop, poll_interval);
    } else if (absl::IsUnavailable(judged.status())) {
      const milliseconds pause = CalmDown(++failure_count);
      spdlog::warn("detect: the store is away, asking again in {} ms: {}", pause.count(),
                   judged.status().ToString());
      Wait(stop, pause);
    } else {
      // Most likely this group's own trouble, and the store has put it behind the others; the pause
      // only keeps a store that fails always from being asked without end.
      spdlog::error("detect: a group was not judged: {}", judged.status().ToString());
      Wait(stop, std::min(poll_interval, kFirstPause));
    }
  }
}

absl::StatusOr<bool> Detector::Step() {
  std::vector<storage::Detection> detections;
  absl::StatusOr<bool> judged = regressions_.ProcessOneDue(
      [&](const storage::DueGroup& group) -> absl::StatusOr<std::vector<storage::Detection>> {
        absl::StatusOr<std::vector<storage::Detection>> found = JudgeGroup(group);
        if (!found.ok()) return Named(group, found.status());
        detections = *found;
        return found;
      });
  if (!judged.ok()) return judged;
  for (const storage::Detection& detection : detections) {
    if (!detection.regression) continue;
    spdlog::debug("detect: {} at {} against {}", detection.regression->title,
                  detection.head_commit_id, detection.base_commit_id);
  }
  return judged;
}

absl::StatusOr<std::vector<storage::Detection>> Detector::JudgeGroup(
    const storage::DueGroup& group) const {
  const auto pairs = regressions_.PairsOf(group);
  if (!pairs.ok()) return pairs.status();
  std::vector<storage::Detection> detections;
  for (const storage::RegressionStore::GroupPair& pair : *pairs) {
    absl::StatusOr<storage::Detection> detection = JudgePair(group.axes_id, pair);
    if (!detection.ok()) return detection.status();
    detections.push_back(*std::move(detection));
  }
  return detections;
}

absl::StatusOr<storage::Detection> Detector::JudgePair(
    std::int64_t axes_id, const storage::RegressionStore::GroupPair& pair) const {
  const auto groups = runs_.LoadGroups(
      {.commit_ids = {pair.base_commit_id, pair.head_commit_id}, .axes = {}, .axes_id = axes_id});
  if (!groups.ok()) return groups.status();
  const std::array columns{ColumnOf(*groups, pair.base_commit_id),
                           ColumnOf(*groups, pair.head_commit_id)};
  storage::Detection detection{.axes_id = axes_id,
                               .base_commit_id = pair.base_commit_id,
                               .head_commit_id = pair.head_commit_id,
                               .regression = std::nullopt};
  // The axes are equal, so there is one block; none when a side has no complete run (any more).
  const auto blocks = analysis::BuildBlocks(columns, {}, options_);
  if (!blocks.empty()) detection.regression = FindRegression(blocks.front());
  return detection;
}

}  // namespace regressd::detect
