#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "services/common/clock.h"

namespace regressd::test {

/// A clock that only the test moves. Thread-safe.
class ManualClock : public common::Clock {
 public:
  /// 2026-01-01T00:00:00Z, so that nobody mistakes it for the real one.
  static constexpr model::Time kStart{std::chrono::sys_days{std::chrono::January / 1 / 2026}};

  explicit ManualClock(model::Time now = kStart) : now_us_(now.time_since_epoch().count()) {}

  model::Time Now() const override { return model::Time{std::chrono::microseconds{now_us_}}; }
  void Advance(std::chrono::microseconds by) { now_us_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_us_;
};

}  // namespace regressd::test
