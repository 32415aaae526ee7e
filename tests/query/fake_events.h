#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "storage/regression_store.h"
#include "tests/support/own_status.h"

namespace regressd::test {

/// A RegressionStore that has nothing but events, and can be away. Thread-safe.
class FakeEvents : public storage::RegressionStore {
 public:
  void Add(int count) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
      storage::ListedChange& change = changes_.emplace_back();
      change.position = ++last_event_id_;
      change.noun = storage::RegressionChange{};
      change.noun->event.event_id = change.position;
    }
  }
  /// As when the regressions were deleted: the events are gone, their numbers are used up.
  void Forget() {
    const std::lock_guard lock(mutex_);
    changes_.clear();
  }
  void FailWith(absl::Status status) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(status);
  }
  int read_count() const {
    const std::lock_guard lock(mutex_);
    return read_count_;
  }
  /// Waits until a fifth of a second has passed without a question; false when they never end.
  bool StopsBeingAsked() {
    std::unique_lock lock(mutex_);
    for (int i = 0; i < 100; ++i) {
      const int before = ask_count_;
      const auto asked = [&] { return ask_count_ != before; };
      if (!asked_.wait_for(lock, std::chrono::milliseconds(200), asked)) return true;
    }
    return false;
  }

  absl::StatusOr<std::int64_t> LastEventId() override {
    const std::lock_guard lock(mutex_);
    ++ask_count_;
    asked_.notify_all();
    if (!failure_.ok()) return OwnStatus(failure_);
    return last_event_id_;
  }
  absl::StatusOr<std::vector<storage::ListedChange>> ListChanges(std::int64_t event_id,
                                                                 std::int32_t limit) override {
    const std::lock_guard lock(mutex_);
    ++read_count_;
    if (!failure_.ok()) return OwnStatus(failure_);
    std::vector<storage::ListedChange> result;
    for (const auto& change : changes_) {
      if (change.position <= event_id) continue;
      if (result.size() == static_cast<std::size_t>(limit)) break;
      result.push_back(change);
    }
    return result;
  }

  absl::StatusOr<std::vector<storage::ListedRegression>> ListRegressions(
      const storage::RegressionFilter&, std::optional<storage::RegressionPosition>,
      std::int32_t) override {
    return absl::UnimplementedError("only events");
  }
  absl::StatusOr<storage::RegressionWithEvents> GetRegression(std::int64_t) override {
    return absl::UnimplementedError("only events");
  }
  absl::StatusOr<model::Regression> SetState(std::int64_t, model::RegressionState, std::string_view,
                                             std::string_view,
                                             std::optional<std::int64_t>) override {
    return absl::UnimplementedError("only events");
  }
  absl::StatusOr<bool> ProcessOneDue(
      const std::function<
          absl::StatusOr<std::vector<storage::Detection>>(const storage::DueGroup&)>&) override {
    return absl::UnimplementedError("only events");
  }
  absl::StatusOr<std::int64_t> CountDue() override {
    return absl::UnimplementedError("only events");
  }
  absl::StatusOr<std::vector<GroupPair>> PairsOf(const storage::DueGroup&) override {
    return absl::UnimplementedError("only events");
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<storage::ListedChange> changes_;
  std::int64_t last_event_id_ = 0;
  absl::Status failure_;
  int ask_count_ = 0;
  int read_count_ = 0;
};

}  // namespace regressd::test
