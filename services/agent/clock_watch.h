#pragma once

#include <chrono>
#include <thread>

#include "services/agent/run_clock.h"
#include "services/agent/sample_sink.h"
#include "services/agent/wake_event.h"

namespace regressd::agent {

/// Looks once a second, and at the end, whether somebody has set the wall clock while a run goes
/// on, and notes each step under "clock" with its size. The run's own times do not follow it.
/// One thread, beside its own.
class ClockWatch {
 public:
  /// `sink` outlives Stop.
  ClockWatch(const RunClock& clock, SampleSink& sink);
  ~ClockWatch();

  /// The last look.
  void Stop();
  /// After Stop: how far back the wall clock stood at worst, at most 0.
  std::chrono::microseconds furthest_back() const { return furthest_back_; }

 private:
  void Run();
  void Look();

  const RunClock clock_;
  SampleSink& sink_;
  const model::Time start_time_;
  std::chrono::microseconds ahead_;
  std::chrono::microseconds furthest_back_{0};
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
