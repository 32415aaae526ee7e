#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "services/agent/command_line.h"
#include "services/agent/delivery.h"
#include "services/agent/monitors/monitor.h"

namespace regressd::agent {
namespace {

int ListMonitors(bool as_json) {
  for (const MonitorChoice& choice : AllMonitors()) {
    const std::unique_ptr<Monitor> monitor = MakeMonitor(choice.name, {});
    const absl::Status status = monitor->Probe();
    if (as_json) {
      nlohmann::json json = {{"name", choice.name},
                             {"by_default", choice.by_default},
                             {"available", status.ok()},
                             {"description", monitor->description()}};
      if (!status.ok()) json["reason"] = std::string(status.message());
      if (!monitor->restrictions().empty()) json["restrictions"] = monitor->restrictions();
      fmt::print("{}\n", json.dump());
      continue;
    }
    fmt::print("{:<12} {:<11} {}\n", choice.name,
               !status.ok() ? "unavailable" : (choice.by_default ? "on" : "off"),
               monitor->description());
    if (!status.ok()) fmt::print("{:24} cannot start: {}\n", "", std::string(status.message()));
    if (!monitor->restrictions().empty()) fmt::print("{:24} {}\n", "", monitor->restrictions());
  }
  return kExitOk;
}

}  // namespace

void AddMonitorsCommand(CLI::App& app, int* exit_code) {
  const auto as_json = std::make_shared<bool>(false);
  CLI::App* monitors = app.add_subcommand(
      "monitors", "List the monitors: on or off by default, or why they cannot start here");
  monitors->add_flag("--json", *as_json, "One line of JSON for each");
  monitors->callback([as_json, exit_code] { *exit_code = ListMonitors(*as_json); });
}

}  // namespace regressd::agent
