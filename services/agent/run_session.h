#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "services/agent/command_runner.h"
#include "services/agent/delivery.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/termination_signal.h"
#include "services/model/run.h"

namespace regressd::agent {

/// What one call of the program asks for, before the first run.
struct RunPlan {
  model::RunSpec spec;                    ///< Without key, start time, command and monitor notes.
  std::string testcase;                   ///< As in spec.axes.
  std::vector<std::string> command;       ///< Empty: only watch.
  std::chrono::milliseconds timeout{0};   ///< Of the command; 0: none.
  std::chrono::milliseconds duration{0};  ///< Of watching; 0: until a signal.
  std::vector<std::string> monitors;      ///< Names, each once.
  MonitorSettings monitor_settings;       ///< work_directory is set for each run.
  DeliveryOptions delivery;
  bool stdout_is_ours = false;  ///< The command's stdout goes to stderr.
};

/// One finished run.
struct RunReport {
  std::string run_uuid;
  CommandResult command;
  std::map<std::string, std::string> monitor_notes;  ///< Of both ends of the run.
  std::int64_t sample_count = 0;
  std::int64_t metric_count = 0;
  std::int64_t result_count = 0;
  DeliveryReport delivery;

  /// A delivery that failed wins over the command's own status; 128 + signal for a killed command.
  int exit_code() const;
};

/// Runs the command once with the monitors around it and streams what they see.
/// Errors: InvalidArgument when the spec would be refused by any server (nothing was run);
/// Unavailable when this machine cannot even begin.
absl::StatusOr<RunReport> ExecuteRun(const RunPlan& plan, TerminationSignal& termination);

}  // namespace regressd::agent
