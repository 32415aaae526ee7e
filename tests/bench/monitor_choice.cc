#include "tests/bench/monitor_choice.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/bench/child.h"
#include "tests/bench/scratch.h"

namespace regressd::bench {

std::vector<std::string> DefaultMonitors() { return {"proc", "vmstat", "kernel-log", "perf-stat"}; }

std::vector<std::string> ProfilingMonitors() {
  std::vector<std::string> monitors = DefaultMonitors();
  monitors.emplace_back("perf-record");
  return monitors;
}

absl::StatusOr<std::vector<MissingMonitor>> FindMissing(const std::string& bin_dir,
                                                        const std::vector<std::string>& monitors) {
  const ScratchFolder folder;
  const std::string list = (folder.path() / "monitors.json").string();
  auto agent = Child::Start({bin_dir + "/regress-agent", "monitors", "--json"}, {}, list);
  if (!agent.ok()) return agent.status();
  if (agent->Wait().status != 0) return absl::InternalError("regress-agent monitors failed");
  std::ifstream lines(list);
  std::vector<MissingMonitor> missing;
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto monitor = nlohmann::json::parse(line, nullptr, false);
    if (!monitor.is_object()) continue;
    const std::string name = monitor.value("name", "");
    if (std::find(monitors.begin(), monitors.end(), name) == monitors.end()) continue;
    ++seen;
    if (monitor.value("available", false)) continue;
    missing.push_back({.name = name, .reason = monitor.value("reason", "cannot start here")});
  }
  if (seen != monitors.size()) return absl::InternalError("regress-agent monitors lacks some");
  return missing;
}

}  // namespace regressd::bench
