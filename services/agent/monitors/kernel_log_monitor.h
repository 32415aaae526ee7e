#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/unique_fd.h"
#include "services/agent/wake_event.h"

namespace regressd::agent {

/// What the kernel complains of during the run, from /dev/kmsg: each complaint once as the metric
/// dmesg.<id> = 1 at the moment it is read, its line as a note. Out of memory and oopses also make
/// last_state.OOM, last_state.oops and last_state.is_incomplete_run: numbers of such a run are not
/// compared.
class KernelLogMonitor : public Monitor {
 public:
  explicit KernelLogMonitor(MonitorSettings settings, std::filesystem::path device = "/dev/kmsg");
  ~KernelLogMonitor() override;

  std::string_view name() const override { return "kernel-log"; }
  std::string_view description() const override {
    return "oopses, warnings, OOM, hung tasks, lockups from /dev/kmsg since the run's start";
  }
  absl::Status Probe() override;
  void Start(SampleSink& sink) override;
  void RequestStop() override;
  void Stop() override;

 private:
  void Run();
  /// Reads all records that wait. False when the log cannot be read any more.
  bool Drain();
  void TakeRecord(std::string_view record);
  void Count(const std::string& metric);

  const MonitorSettings settings_;
  const std::filesystem::path device_;
  UniqueFd log_;
  std::unique_ptr<ColumnTable> table_;
  std::set<std::string> counted_;
  std::size_t complaint_count_ = 0;
  SampleSink* sink_ = nullptr;
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
