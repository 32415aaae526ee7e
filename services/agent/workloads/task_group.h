#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// What one task shares with the one that measures; a cache line of its own.
struct alignas(128) TaskSlot {
  std::atomic<std::int64_t> operation_count{0};
  std::atomic<std::int64_t> minor_fault_count{0};  ///< Of its whole life; set at its end.
  std::atomic<int> error{0};                       ///< errno of what failed.
};

struct TaskGroupOptions {
  int task_count = 1;
  bool threads = false;
  bool pin = true;
  std::chrono::milliseconds warm_up{0};
  std::chrono::milliseconds runtime{0};
};

struct TaskMeasure {
  std::int64_t window_operations = 0;  ///< Between the end of the warm-up and the end.
  std::int64_t total_operations = 0;
  std::int64_t minor_faults = 0;
};

struct GroupMeasure {
  double window_seconds = 0;
  std::vector<TaskMeasure> tasks;
};

/// Runs `body` in as many processes or threads at once, lets them warm up, counts their operations
/// over the runtime, tells them to stop and waits. `body` counts in its slot and returns soon after
/// `stop` turns true.
/// Errors: Internal naming the errno that a task reported, Unavailable when tasks cannot be made or
/// one of them died.
absl::StatusOr<GroupMeasure> MeasureTasks(
    const TaskGroupOptions& options,
    const std::function<void(TaskSlot& slot, const std::atomic<bool>& stop)>& body);

}  // namespace regressd::agent
