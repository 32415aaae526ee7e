#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "services/agent/run_clock.h"
#include "services/agent/sample_sink.h"

namespace regressd::agent {

struct MonitorSettings {
  std::chrono::milliseconds interval{1000};
  RunClock clock = {};                        ///< The run's; all samples have their times from it.
  std::filesystem::path work_directory = {};  ///< Private, removed by its owner after the run.
  /// The memory cgroup made for the run's command (v2, or v1's memory hierarchy); empty: none.
  std::filesystem::path cgroup_directory = {};
  std::string testcase = {};                  ///< By its name perf-stat chooses its events.
  std::vector<std::string> perf_events = {};  ///< Empty: perf-stat's own choice.
  std::string profile_event = {};             ///< Empty: cycles, or cpu-clock without a PMU.
  int profile_frequency_hz = 99;
  /// Starting perf and reading the symbols of all that ran costs up to a second of CPU a window.
  std::chrono::milliseconds profile_window{60000};
};

/// Watches the machine during one run. Its owner calls Probe, Start, Stop in this order from one
/// thread; whatever else it does happens in threads of its own.
class Monitor {
 public:
  virtual ~Monitor() = default;

  /// "proc", "vmstat": its source's name, too.
  virtual std::string_view name() const = 0;
  /// One line for people.
  virtual std::string_view description() const = 0;

  /// Whether it can start here; otherwise why not and what would help, in one line.
  virtual absl::Status Probe() = 0;
  /// What Probe found that it has to do without: "cycles: not supported here"; empty for nothing.
  virtual std::string restrictions() const { return {}; }

  /// Begins to fill `sink`, which outlives Stop. A failure from now on is a note in the sink.
  virtual void Start(SampleSink& sink) = 0;
  virtual void CommandStarted(pid_t /*pid*/) {}
  /// Asks for the end without waiting for it, so that all monitors may end together.
  virtual void RequestStop() = 0;
  /// Waits for the end; the sink has everything afterwards.
  virtual void Stop() = 0;
};

/// Every monitor that there is, those first that run unless they are switched off.
struct MonitorChoice {
  std::string_view name;
  bool by_default = true;
};
std::vector<MonitorChoice> AllMonitors();

/// nullptr for a name that is none of AllMonitors.
std::unique_ptr<Monitor> MakeMonitor(std::string_view name, const MonitorSettings& settings);

}  // namespace regressd::agent
