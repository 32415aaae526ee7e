#include "services/agent/monitors/monitor_set.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace regressd::agent {

MonitorSet::MonitorSet(const std::vector<std::string>& names, const MonitorSettings& settings) {
  const bool computes_vmstat = std::find(names.begin(), names.end(), "vmstat") != names.end();
  for (const std::string& name : names) {
    std::unique_ptr<Monitor> monitor = MakeMonitor(name, settings);
    if (!monitor) continue;
    if (name == "vmstat-tool" && computes_vmstat) {
      notes_[name] = "left out: vmstat gives the same metrics; choose vmstat-tool without it";
      continue;
    }
    const absl::Status status = monitor->Probe();
    if (!status.ok()) {
      notes_[name] = std::string(status.message());
      spdlog::info("{} not measured: {}", name, notes_[name]);
      continue;
    }
    if (!monitor->restrictions().empty()) notes_[name] = monitor->restrictions();
    monitors_.push_back(std::move(monitor));
  }
}

MonitorSet::~MonitorSet() { Stop(); }

void MonitorSet::Start(SampleSink& sink) {
  running_ = true;
  // "proc" is the first by custom and starts last: its first row is the state before the command,
  // not before the other monitors' own start.
  for (auto monitor = monitors_.rbegin(); monitor != monitors_.rend(); ++monitor) {
    (*monitor)->Start(sink);
  }
}

void MonitorSet::CommandStarted(pid_t pid) {
  for (const auto& monitor : monitors_) monitor->CommandStarted(pid);
}

void MonitorSet::Stop() {
  if (!running_) return;
  running_ = false;
  for (const auto& monitor : monitors_) monitor->RequestStop();
  for (const auto& monitor : monitors_) monitor->Stop();
}

}  // namespace regressd::agent
