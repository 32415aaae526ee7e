#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/unique_fd.h"
#include "services/agent/wake_event.h"
#include "services/parse/kernel_log.h"

namespace regressd::agent {

/// What the kernel complains of during the run, from /dev/kmsg: each complaint once as the metric
/// dmesg.<id> = 1 at the moment it is read, its line as a note. Oopses, and out of memory of the
/// machine or of the run's memory cgroup, also make last_state.oops or last_state.OOM, and
/// last_state.is_incomplete_run: numbers of such a run are not compared. Out of memory of other
/// cgroups is only noted.
class KernelLogMonitor : public Monitor {
 public:
  explicit KernelLogMonitor(MonitorSettings settings, std::filesystem::path device = "/dev/kmsg",
                            std::filesystem::path self = "/proc/self");
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
  void TakeOomKill(const parse::OomKill& kill);
  void TakeComplaint(const parse::KmsgRecord& record, const parse::KernelComplaint& complaint);
  void CountOom();
  void Count(const std::string& metric);

  const MonitorSettings settings_;
  const std::filesystem::path device_;
  const std::filesystem::path self_;
  std::optional<std::string> run_cgroup_;
  bool oom_is_open_ = false;  ///< The killer was invoked, and for whom is not said yet.
  bool cgroup_was_said_ = false;
  UniqueFd log_;
  std::unique_ptr<ColumnTable> table_;
  std::set<std::string> counted_;
  std::size_t complaint_count_ = 0;
  SampleSink* sink_ = nullptr;
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
