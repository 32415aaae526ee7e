#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "services/agent/monitors/monitor.h"

namespace regressd::agent {

/// The monitors of one run. One thread.
class MonitorSet {
 public:
  /// Makes and probes them. What cannot start is left out and stands in notes().
  MonitorSet(const std::vector<std::string>& names, const MonitorSettings& settings);
  /// Stops what runs.
  ~MonitorSet();

  /// What could not be measured, and why, by monitor.
  const std::map<std::string, std::string>& notes() const { return notes_; }

  void Start(SampleSink& sink);
  void CommandStarted(pid_t pid);
  /// All have stopped and said everything when it returns.
  void Stop();

 private:
  std::vector<std::unique_ptr<Monitor>> monitors_;
  std::map<std::string, std::string> notes_;
  bool running_ = false;
};

}  // namespace regressd::agent
