#include "services/agent/clock_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "services/agent/ticker.h"

namespace regressd::agent {
namespace {

constexpr std::chrono::milliseconds kInterval{1000};
// A clock that is only slewed gains or loses less in a second: chrony's most is 83 ms.
constexpr std::chrono::milliseconds kLeastStep{100};

double Seconds(std::chrono::microseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

ClockWatch::ClockWatch(const RunClock& clock, SampleSink& sink)
    : clock_(clock),
      sink_(sink),
      start_time_(clock_.Now()),
      ahead_(clock_.WallAhead()),
      thread_([this] { Run(); }) {}

ClockWatch::~ClockWatch() { Stop(); }

void ClockWatch::Run() {
  Ticker ticker(kInterval, clock_);
  while (ticker.Wait(stop_)) Look();
  Look();
}

void ClockWatch::Look() {
  const std::chrono::microseconds before = ahead_;
  ahead_ = clock_.WallAhead();
  furthest_back_ = std::min(furthest_back_, ahead_);
  const std::chrono::microseconds step = ahead_ - before;
  if (std::chrono::abs(step) < kLeastStep) return;
  sink_.AddNote("clock",
                fmt::format("the wall clock was set {} by {:.3f} s, {:.0f} s into the run; the "
                            "times of the run go on without the step",
                            step.count() < 0 ? "back" : "forward", Seconds(std::chrono::abs(step)),
                            Seconds(clock_.Now() - start_time_)));
}

void ClockWatch::Stop() {
  stop_.Set();
  if (thread_.joinable()) thread_.join();
}

}  // namespace regressd::agent
