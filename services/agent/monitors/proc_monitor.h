#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "services/agent/monitors/periodic_monitor.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/monitors/proc_reader.h"

namespace regressd::agent {

/// Reads what ProcReader reads: one row when it starts, one at each turn, and one when it stops, so
/// that the running totals cover the whole command. Beside them stands how late the row was taken.
class ProcMonitor : public PeriodicMonitor {
 public:
  explicit ProcMonitor(MonitorSettings settings, std::filesystem::path root = "/");
  ~ProcMonitor() override;

  std::string_view name() const override { return "proc"; }
  std::string_view description() const override {
    return "memory, pressure, nodes, zones, swap, disks, interrupts and the run's cgroup from "
           "/proc and /sys";
  }
  absl::Status Probe() override;
  std::string restrictions() const override;

 protected:
  void Begin() override;
  void Turn(const Tick& tick) override;
  void Finish() override;

 private:
  void TakeRow(model::Time time, const Tick* tick);

  const std::filesystem::path root_;
  std::unique_ptr<ProcReader> reader_;
  std::unique_ptr<ColumnTable> table_;
  std::set<std::string> noted_problems_;
};

}  // namespace regressd::agent
