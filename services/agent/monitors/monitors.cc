#include "services/agent/monitors/kernel_log_monitor.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/perf_lock_monitor.h"
#include "services/agent/monitors/perf_record_monitor.h"
#include "services/agent/monitors/perf_stat_monitor.h"
#include "services/agent/monitors/proc_monitor.h"
#include "services/agent/monitors/vmstat_monitor.h"
#include "services/agent/monitors/vmstat_tool_monitor.h"

namespace regressd::agent {

std::vector<MonitorChoice> AllMonitors() {
  // Profiles and locks cost more than the others together, so they are asked for.
  return {{"proc", true},      {"vmstat", true},       {"vmstat-tool", false}, {"kernel-log", true},
          {"perf-stat", true}, {"perf-record", false}, {"perf-lock", false}};
}

std::unique_ptr<Monitor> MakeMonitor(std::string_view name, const MonitorSettings& settings) {
  if (name == "proc") return std::make_unique<ProcMonitor>(settings);
  if (name == "vmstat") return std::make_unique<VmstatMonitor>(settings);
  if (name == "vmstat-tool") return std::make_unique<VmstatToolMonitor>(settings);
  if (name == "kernel-log") return std::make_unique<KernelLogMonitor>(settings);
  if (name == "perf-lock") return std::make_unique<PerfLockMonitor>(settings);
  if (name == "perf-stat") return std::make_unique<PerfStatMonitor>(settings);
  if (name == "perf-record") return std::make_unique<PerfRecordMonitor>(settings);
  return nullptr;
}

}  // namespace regressd::agent
