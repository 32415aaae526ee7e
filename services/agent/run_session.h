#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "services/agent/command_runner.h"
#include "services/agent/delivery.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/results.h"
#include "services/agent/setup/run_setup.h"
#include "services/agent/termination_signal.h"
#include "services/model/run.h"

namespace regressd::agent {

/// What one call of the program asks for, before the first run.
struct RunPlan {
  model::RunSpec spec;                    ///< Without key, start time, command and monitor notes.
  std::string testcase;                   ///< As in spec.axes.
  std::vector<std::string> command;       ///< Empty: only watch.
  std::string reader;                     ///< Of AllReaders(); empty: lines "name value", if any.
  std::vector<std::string> result_files;  ///< What it reads in place of the command's output.
  std::chrono::milliseconds timeout{0};   ///< Of the command; 0: none.
  std::chrono::milliseconds duration{0};  ///< Of watching; 0: until a signal.
  std::vector<std::string> monitors;      ///< Names, each once.
  MonitorSettings monitor_settings;       ///< work_directory is set for each run.
  SetupOptions setup;                     ///< What each run changes on the machine for its time.
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
  std::vector<ResultCollector::Value> results;  ///< Of the output, and the rusage.
  DeliveryReport delivery;

  /// A delivery that failed wins over the command's own status, and this over samples that were
  /// lost; 128 + signal for a killed command.
  int exit_code() const;
};

/// Sets `machine` up, runs the command once with the monitors around it, streams what they see, and
/// puts the machine back.
/// Errors: InvalidArgument when the spec would be refused by any server; as RunSetup::Make for a
/// machine that cannot be set up; Unavailable when this machine cannot even begin. Nothing was run
/// then.
absl::StatusOr<RunReport> ExecuteRun(const RunPlan& plan, Machine& machine,
                                     TerminationSignal& termination);
/// On this machine.
absl::StatusOr<RunReport> ExecuteRun(const RunPlan& plan, TerminationSignal& termination);

/// Runs the command of `plan` once, set up as a run is, with nobody watching and nothing stored.
/// Errors: as ExecuteRun; Aborted, with the command's last words, when it failed.
absl::Status WarmUp(const RunPlan& plan, Machine& machine, TerminationSignal& termination);

}  // namespace regressd::agent
