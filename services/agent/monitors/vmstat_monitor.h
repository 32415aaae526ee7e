#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "services/agent/monitors/periodic_monitor.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/monitors/vmstat_rates.h"

namespace regressd::agent {

/// The columns of the tool vmstat, computed from /proc: one row an interval, and one for a last
/// interval of at least half its length, or of any length when it is the only one.
class VmstatMonitor : public PeriodicMonitor {
 public:
  explicit VmstatMonitor(MonitorSettings settings, std::filesystem::path root = "/");
  ~VmstatMonitor() override;

  std::string_view name() const override { return "vmstat"; }
  std::string_view description() const override {
    return "the columns of the tool vmstat, computed from /proc";
  }
  absl::Status Probe() override;

 protected:
  void Begin() override;
  void Turn(const Tick& tick) override;
  void Finish() override;

 private:
  /// False, with a note, when /proc cannot be read.
  bool ReadCounts(VmstatCounts* out);
  void TakeRow(model::Time time);

  const std::filesystem::path root_;
  ProcFile stat_;
  ProcFile vmstat_;
  ProcFile meminfo_;
  std::unique_ptr<ColumnTable> table_;
  std::optional<VmstatCounts> last_counts_;
  model::Time last_time_;
  bool has_row_ = false;
  bool noted_ = false;
};

}  // namespace regressd::agent
