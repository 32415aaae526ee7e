#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/agent/child_process.h"
#include "services/agent/run_clock.h"
#include "services/agent/termination_signal.h"
#include "services/model/time.h"

namespace regressd::agent {

struct CommandOptions {
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// NAME=value of `environment` that no other process has: whoever carries it when the command has
  /// ended is a leftover of the command and is killed. Empty: only its process group is.
  std::string marker = {};
  RunClock clock = {};                          ///< The result has its times from it.
  std::chrono::milliseconds timeout{0};         ///< 0: none.
  bool stdout_to_stderr = false;                ///< Own stdout carries something else.
  std::filesystem::path cgroup_directory = {};  ///< Where it and all its children are; empty: here.
  std::function<void(std::string_view)> on_stderr_line = {};  ///< Gets each line of its stderr.
};

struct CommandResult {
  model::Time start_time;
  model::Time end_time;
  std::chrono::microseconds elapsed{0};  ///< On a clock that nobody steps.
  ChildExit exit;
  /// Why it failed besides its exit: "could not start: ...", "timeout after 3 s", "interrupted by
  /// signal 2 (Interrupt)"; empty otherwise.
  std::string failure;
  std::vector<std::string> last_output_lines;  ///< At most 20, of both outputs in order of reading.

  bool failed() const { return !failure.empty() || exit.exit_status != 0 || exit.term_signal != 0; }
};

/// Runs a command, passes its output through, and leaves none of its processes behind.
///
/// `on_stdout_line` gets each line of its stdout; `on_started` its pid. A signal from `termination`
/// goes to the command's group; a second one, or ten seconds, kill it.
CommandResult RunCommand(const CommandOptions& options, TerminationSignal& termination,
                         const std::function<void(std::string_view)>& on_stdout_line,
                         const std::function<void(pid_t)>& on_started);

/// The variable that the command of a run finds its run's UUID in, and the marker made of it.
inline constexpr std::string_view kRunVariable = "REGRESS_RUN_UUID";
std::string RunMarker(std::string_view run_uuid);

/// Kills every process whose environment holds `marker`. Returns how many were found.
int KillMarked(std::string_view marker);

}  // namespace regressd::agent
