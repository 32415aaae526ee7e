#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/agent/monitors/perf_events.h"
#include "services/agent/monitors/perf_stat_rows.h"
#include "services/agent/monitors/tool_monitor.h"

namespace regressd::agent {

/// `perf stat -I`: counts of each interval, over the whole machine where that is allowed, otherwise
/// of the command and what it starts.
class PerfStatMonitor : public ToolMonitor {
 public:
  explicit PerfStatMonitor(MonitorSettings settings);
  ~PerfStatMonitor() override;

  std::string_view name() const override { return "perf-stat"; }
  std::string_view description() const override {
    return "perf stat: software events, rare tracepoints, hardware events where there is a PMU";
  }
  absl::Status Probe() override;
  std::string restrictions() const override { return events_.restrictions; }
  void Start(SampleSink& sink) override;
  void CommandStarted(pid_t pid) override;

 protected:
  std::vector<std::string> Command() const override;
  bool IsOver() const override;
  void Begin() override;
  void TakeLine(std::string_view line, model::Time arrival) override;
  void End(bool stopped) override;

 private:
  void Emit(const std::optional<PerfStatRows::Interval>& interval);

  PerfEvents events_;
  SampleSink* command_sink_ = nullptr;  // Of a monitor that waits for the command.
  pid_t command_pid_ = 0;
  std::unique_ptr<parse::PerfStatReader> reader_;
  std::unique_ptr<PerfStatRows> rows_;
  std::optional<model::Time> start_time_;  // Of perf's clock; known with the first row.
  double last_time_s_ = 0;
};

}  // namespace regressd::agent
