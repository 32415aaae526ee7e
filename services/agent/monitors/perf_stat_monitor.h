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

/// `perf stat -a -I`: counts of each interval over the whole machine.
class PerfStatMonitor : public ToolMonitor {
 public:
  explicit PerfStatMonitor(MonitorSettings settings);
  ~PerfStatMonitor() override;

  std::string_view name() const override { return "perf-stat"; }
  std::string_view description() const override {
    return "perf stat -a: software events, rare tracepoints, hardware events where there is a PMU";
  }
  absl::Status Probe() override;
  std::string restrictions() const override { return events_.restrictions; }

 protected:
  std::vector<std::string> Command() const override;
  void Begin() override;
  void TakeLine(std::string_view line, model::Time arrival) override;
  void End(bool stopped) override;

 private:
  void Emit(const std::optional<PerfStatRows::Interval>& interval);

  PerfEvents events_;
  std::unique_ptr<parse::PerfStatReader> reader_;
  std::unique_ptr<PerfStatRows> rows_;
  std::optional<model::Time> start_time_;  // Of perf's clock; known with the first row.
  double last_time_s_ = 0;
};

}  // namespace regressd::agent
