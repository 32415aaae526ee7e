#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "services/agent/monitors/monitor.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/ticker.h"
#include "services/agent/wake_event.h"

namespace regressd::agent {

/// `perf lock`: waits for kernel locks over the whole machine, recorded for one second in each
/// profile window, as perf-lock.contention.<lock>.{contended,total_wait} for each second of
/// recording. Which lock it is, is told by the function that waits.
class PerfLockMonitor : public Monitor {
 public:
  explicit PerfLockMonitor(MonitorSettings settings,
                           std::filesystem::path tracefs = "/sys/kernel/tracing");
  ~PerfLockMonitor() override;

  std::string_view name() const override { return "perf-lock"; }
  std::string_view description() const override {
    return "perf lock contention: waits for lru_lock, swap and other kernel locks, in windows";
  }
  absl::Status Probe() override;
  void Start(SampleSink& sink) override;
  void RequestStop() override;
  void Stop() override;

 private:
  void Run();
  /// False, and `*why`, when perf could not.
  bool RecordWindow(std::string* why);
  void TakeTable(const std::string& text, double seconds);
  void NoteWorst();

  const MonitorSettings settings_;
  const std::filesystem::path tracefs_;
  std::unique_ptr<Ticker> clock_;
  std::unique_ptr<ColumnTable> table_;
  std::map<std::string, double> wait_us_by_function_;
  SampleSink* sink_ = nullptr;
  WakeEvent stop_;
  std::jthread thread_;
};

}  // namespace regressd::agent
