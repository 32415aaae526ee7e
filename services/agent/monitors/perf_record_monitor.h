#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "services/agent/monitors/monitor.h"
#include "services/agent/wake_event.h"
#include "services/model/time.h"

namespace regressd::agent {

/// Call stacks: `perf record -g` in windows, each folded on this machine while the next is
/// recorded, at the lowest priority. The whole machine where that is allowed, otherwise the
/// command's processes.
class PerfRecordMonitor : public Monitor {
 public:
  explicit PerfRecordMonitor(MonitorSettings settings);
  ~PerfRecordMonitor() override;

  std::string_view name() const override { return "perf-record"; }
  std::string_view description() const override {
    return "perf record -g: call stacks in windows, folded on this machine";
  }
  absl::Status Probe() override;
  std::string restrictions() const override { return restrictions_; }
  void Start(SampleSink& sink) override;
  void CommandStarted(pid_t pid) override { command_pid_ = pid; }
  void RequestStop() override;
  void Stop() override;

 private:
  struct Window {
    std::filesystem::path file;
    model::Time begin_time;
    std::chrono::microseconds duration{0};
  };

  void Record();
  bool RecordWindow(Window* window);
  std::vector<std::string> RecordCommand(const std::filesystem::path& file) const;
  std::string CommandPids() const;
  void Fold();
  void FoldWindow(const Window& window);

  const MonitorSettings settings_;
  std::string event_;
  bool whole_machine_ = true;
  std::string restrictions_;
  SampleSink* sink_ = nullptr;
  std::atomic<pid_t> command_pid_ = 0;
  WakeEvent stop_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Window> recorded_;
  bool recording_over_ = false;
  std::jthread recorder_;
  std::jthread folder_;
};

}  // namespace regressd::agent
