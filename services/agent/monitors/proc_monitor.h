#pragma once

#include <filesystem>
#include <memory>
#include <thread>

#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/wake_event.h"

namespace regressd::agent {

/// Reads /proc/vmstat, /proc/meminfo and /proc/pressure/*: one row when it starts, one at each turn
/// of an absolute clock, and one when it stops, so that the running totals cover the whole command.
class ProcMonitor : public Monitor {
 public:
  explicit ProcMonitor(MonitorSettings settings, std::filesystem::path root = "/");
  ~ProcMonitor() override;

  std::string_view name() const override { return "proc"; }
  std::string_view description() const override {
    return "/proc/vmstat, /proc/meminfo and /proc/pressure/* at each interval";
  }
  absl::Status Probe() override;
  std::string restrictions() const override;
  void Start(SampleSink& sink) override;
  void RequestStop() override;
  void Stop() override;

 private:
  void Run();
  void TakeRow(model::Time time);

  const MonitorSettings settings_;
  const std::filesystem::path root_;
  std::unique_ptr<ProcReader> reader_;
  std::unique_ptr<ColumnTable> table_;
  SampleSink* sink_ = nullptr;
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
