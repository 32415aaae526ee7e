#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "services/agent/child_process.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/wake_event.h"
#include "services/model/time.h"

namespace regressd::agent {

/// A monitor that is a tool printing lines on its stdout. A tool that ends by itself, or says
/// nothing for too long, is started once more; then the monitor gives up. Both are noted.
class ToolMonitor : public Monitor {
 public:
  explicit ToolMonitor(MonitorSettings settings);

  void Start(SampleSink& sink) override;
  void RequestStop() override;
  void Stop() override;

 protected:
  const MonitorSettings& settings() const { return settings_; }
  SampleSink& sink() { return *sink_; }

  virtual std::vector<std::string> Command() const = 0;
  /// Its quiet longer than this is a hang.
  virtual std::chrono::milliseconds Patience() const;
  /// Whether a tool that ended by itself has nothing left to watch.
  virtual bool IsOver() const { return false; }
  /// A new process of the tool begins to speak.
  virtual void Begin() = 0;
  virtual void TakeLine(std::string_view line, model::Time arrival) = 0;
  /// The process ended; `stopped` when it was asked to.
  virtual void End(bool stopped) = 0;

 private:
  void Run();
  /// One process of the tool. True when it ended because it was asked to; otherwise `*why`.
  bool RunOnce(std::string* why);

  const MonitorSettings settings_;
  SampleSink* sink_ = nullptr;
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
