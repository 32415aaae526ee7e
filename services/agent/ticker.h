#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "services/agent/run_clock.h"
#include "services/agent/unique_fd.h"
#include "services/agent/wake_event.h"
#include "services/model/time.h"

namespace regressd::agent {

/// One turn of a Ticker.
struct Tick {
  model::Time time;                       ///< The ticker's Now() at the moment of waking.
  std::chrono::microseconds lateness{0};  ///< Behind the planned instant.
  std::int64_t missed_count = 0;          ///< Turns before this one that passed unused.
};

/// Wakes at fixed distances from its birth on a clock that nobody steps, so that lateness of one
/// turn never moves the next. A turn that comes while the last one is still at work is counted as
/// missed, not made up for. One thread.
class Ticker {
 public:
  /// Its turns get their times from `clock`.
  explicit Ticker(std::chrono::milliseconds interval, const RunClock& clock = RunClock());

  model::Time Now() const { return clock_.Now(); }

  /// The next turn, or nullopt once `stop` is set.
  std::optional<Tick> Wait(const WakeEvent& stop);

 private:
  const RunClock clock_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::milliseconds interval_;
  UniqueFd timer_;
  std::int64_t turn_count_ = 0;
};

}  // namespace regressd::agent
