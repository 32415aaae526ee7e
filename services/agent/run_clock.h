#pragma once

#include <chrono>

#include "services/model/time.h"

namespace regressd::agent {

/// The wall clock, now.
model::Time WallNow();

/// The wall clock of a run's beginning, and what has passed since on the clock that nobody steps:
/// all times of one run are in order and as far apart as they were, whatever is done to the wall
/// clock meanwhile. Copies tell the same time. Thread-safe.
class RunClock {
 public:
  RunClock();

  model::Time Now() const;
  /// How far the wall clock is ahead of Now() by now; below 0 once it was set back.
  std::chrono::microseconds WallAhead() const;

 private:
  std::chrono::steady_clock::time_point start_;
  model::Time start_time_;
};

}  // namespace regressd::agent
