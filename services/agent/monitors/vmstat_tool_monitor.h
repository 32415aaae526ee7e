#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/agent/monitors/proc_files.h"
#include "services/agent/monitors/tool_monitor.h"
#include "services/parse/vmstat.h"

namespace regressd::agent {

/// The tool vmstat. Its memory columns are replaced by the same quantities of /proc/meminfo,
/// because procps 4.0.2 never refreshes them.
class VmstatToolMonitor : public ToolMonitor {
 public:
  explicit VmstatToolMonitor(MonitorSettings settings);
  ~VmstatToolMonitor() override;

  std::string_view name() const override { return "vmstat-tool"; }
  std::string_view description() const override {
    return "the tool vmstat in place of vmstat, whole seconds";
  }
  absl::Status Probe() override;
  std::string restrictions() const override;

 protected:
  std::vector<std::string> Command() const override;
  std::chrono::milliseconds Patience() const override;
  void Begin() override;
  void TakeLine(std::string_view line, model::Time arrival) override;
  void End(bool stopped) override;

 private:
  std::chrono::seconds Interval() const;
  void ReadMemory();

  std::unique_ptr<parse::VmstatReader> reader_;
  std::unique_ptr<ColumnTable> table_;
  ProcFile meminfo_;
  model::Time last_time_;  // Two sources of time must not put rows out of order.
  std::vector<std::pair<std::string_view, std::int64_t>> memory_kib_;  // By vmstat's column name.
};

}  // namespace regressd::agent
