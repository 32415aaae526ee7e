#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// What one task shares with the one that measures; a cache line of its own.
struct alignas(128) TaskSlot {
  std::atomic<std::int64_t> operation_count{0};
  std::atomic<std::int64_t> minor_fault_count{0};  ///< Of its work; set at its end.
  std::atomic<std::int64_t> work_ns{0};            ///< Set at its end.
  std::atomic<std::int64_t> release_ns{0};         ///< Set at its end.
  std::atomic<int> error{0};                       ///< errno of what failed.
  std::atomic<bool> worked{false};                 ///< Its work has ended.
};

/// What one process or thread of a group does; made and destroyed in it. One thread.
class Task {
 public:
  virtual ~Task() = default;
  /// Before the clock starts; all tasks wait for the slowest. Returns 0 or the errno of what
  /// failed, and then no task works.
  virtual int Prepare() { return 0; }
  /// Counts in the slot, or sets its error, and returns soon after `stop` turns true.
  virtual void Work(TaskSlot& slot, const std::atomic<bool>& stop) = 0;
  /// Gives back what it holds, when all tasks have worked: one that is done early must not make
  /// room for the others. Timed by itself.
  virtual void Release() {}
};

using TaskFactory = std::function<std::unique_ptr<Task>(int task_index)>;

struct TaskGroupOptions {
  int task_count = 1;
  bool threads = false;  ///< Of one process; otherwise processes.
  bool pin = true;       ///< Each task to one CPU, in turn over those allowed.
  std::chrono::milliseconds warm_up{0};
  std::chrono::milliseconds runtime{0};
  /// Called when all are prepared, before any works.
  std::function<void()> at_start = [] {};
};

struct TaskMeasure {
  std::int64_t window_operations = 0;  ///< Between the end of the warm-up and the end.
  std::int64_t total_operations = 0;
  std::int64_t minor_faults = 0;
  double work_seconds = 0;
  double release_seconds = 0;
};

struct GroupMeasure {
  double window_seconds = 0;
  std::vector<TaskMeasure> tasks;
};

/// Runs the tasks at once, lets them warm up, counts their operations over the runtime, tells them
/// to stop and waits.
/// Errors: Internal naming the errno that a task reported, Unavailable when tasks cannot be made or
/// one of them died.
absl::StatusOr<GroupMeasure> MeasureTasks(const TaskGroupOptions& options,
                                          const TaskFactory& factory);

/// Runs the tasks at once until each has done its work; after the runtime those that go on are told
/// to stop. There is no warm-up, and the window is all of a task's work.
/// Errors: as MeasureTasks.
absl::StatusOr<GroupMeasure> CompleteTasks(const TaskGroupOptions& options,
                                           const TaskFactory& factory);

}  // namespace regressd::agent
