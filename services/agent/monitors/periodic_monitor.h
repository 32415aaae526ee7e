#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "services/agent/monitors/monitor.h"
#include "services/agent/ticker.h"
#include "services/agent/wake_event.h"

namespace regressd::agent {

/// A monitor that reads the machine at each turn of an absolute clock, in a thread of its own. A
/// turn that comes while the last one is still at work is skipped and counted, never made up for.
class PeriodicMonitor : public Monitor {
 public:
  explicit PeriodicMonitor(MonitorSettings settings);

  void Start(SampleSink& sink) override;
  void RequestStop() override;
  void Stop() override;

 protected:
  const MonitorSettings& settings() const { return settings_; }
  SampleSink& sink() { return *sink_; }
  model::Time Now() const { return ticker_->Now(); }

  /// The state before the command; in the thread of Start.
  virtual void Begin() = 0;
  virtual void Turn(const Tick& tick) = 0;
  /// The state after the command.
  virtual void Finish() = 0;

 private:
  void Run();

  const MonitorSettings settings_;
  SampleSink* sink_ = nullptr;
  std::unique_ptr<Ticker> ticker_;
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
