#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/perf_record_monitor.h"
#include "services/agent/monitors/perf_stat_monitor.h"
#include "services/agent/monitors/proc_monitor.h"
#include "services/agent/monitors/vmstat_monitor.h"

namespace regressd::agent {

std::vector<MonitorChoice> AllMonitors() {
  // Profiling costs more than the others together, so it is asked for.
  return {{"proc", true}, {"vmstat", true}, {"perf-stat", true}, {"perf-record", false}};
}

std::unique_ptr<Monitor> MakeMonitor(std::string_view name, const MonitorSettings& settings) {
  if (name == "proc") return std::make_unique<ProcMonitor>(settings);
  if (name == "vmstat") return std::make_unique<VmstatMonitor>(settings);
  if (name == "perf-stat") return std::make_unique<PerfStatMonitor>(settings);
  if (name == "perf-record") return std::make_unique<PerfRecordMonitor>(settings);
  return nullptr;
}

}  // namespace regressd::agent
