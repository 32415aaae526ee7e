#include "services/agent/monitors/periodic_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace regressd::agent {

PeriodicMonitor::PeriodicMonitor(MonitorSettings settings) : settings_(std::move(settings)) {}

void PeriodicMonitor::Start(SampleSink& sink) {
  sink_ = &sink;
  ticker_ = std::make_unique<Ticker>(settings_.interval, settings_.clock);
  Begin();
  thread_ = std::jthread([this] { Run(); });
}

void PeriodicMonitor::Run() {
  std::int64_t missed = 0;
  std::chrono::microseconds worst{0};
  while (const std::optional<Tick> tick = ticker_->Wait(stop_)) {
    missed += tick->missed_count;
    worst = std::max(worst, tick->lateness);
    Turn(*tick);
  }
  Finish();
  if (missed > 0) {
    sink_->AddNote(name(), fmt::format("{} turns missed; latest turn {} ms late", missed,
                                       worst.count() / 1000));
  }
}

void PeriodicMonitor::RequestStop() { stop_.Set(); }

void PeriodicMonitor::Stop() {
  stop_.Set();
  if (thread_.joinable()) thread_.join();
}

}  // namespace regressd::agent
