#include "services/agent/workloads/page_fault.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "services/agent/workloads/memory_facts.h"
#include "services/agent/workloads/task_group.h"
#include "services/agent/workloads/temporary_file.h"

namespace regressd::agent {
namespace {

// A huge page of the smallest kind that saves faults at all holds two pages, so half is the border.
constexpr double kMaxHugeFaultShare = 0.5;
constexpr double kMinSmallFaultShare = 0.99;

class FaultTask : public Task {
 public:
  FaultTask(const PageFaultOptions& options, std::int64_t page_bytes)
      : options_(options), page_bytes_(page_bytes) {}

  int Prepare() override {
    if (options_.memory == FaultedMemory::kAnonymous) return 0;
    absl::StatusOr<UniqueFd> file = MakeTemporaryFile(options_.directory, options_.size_bytes);
    if (!file.ok()) return errno != 0 ? errno : EIO;
    file_ = *std::move(file);
    return 0;
  }

  void Work(TaskSlot& slot, const std::atomic<bool>& stop) override {
    while (!stop.load(std::memory_order_relaxed)) {
      const Mapping mapping({.size_bytes = options_.size_bytes,
                             .fd = file_.get(),
                             .shared = options_.memory == FaultedMemory::kSharedFile,
                             .huge_pages = options_.huge_pages,
                             .populate = options_.populate});
      if (!mapping.valid()) {
        slot.error = mapping.error();
        return;
      }
      volatile char* bytes = mapping.bytes();
      std::int64_t count = slot.operation_count.load(std::memory_order_relaxed);
      for (std::int64_t i = 0; i < options_.size_bytes; i += page_bytes_) {
        bytes[i] = 0;
        // A plain store: only this task writes the counter.
        slot.operation_count.store(++count, std::memory_order_relaxed);
      }
    }
  }

 private:
  const PageFaultOptions& options_;
  const std::int64_t page_bytes_;
  UniqueFd file_;
};

/// Whether all tasks' pages fit: more would measure reclaim, or end in a SIGBUS.
absl::Status CheckRoom(const PageFaultOptions& options) {
  const std::int64_t task_count = std::max(options.task_count, 1);
  const absl::StatusOr<MemoryFacts> facts = ReadMemoryFacts();
  if (!facts.ok()) return facts.status();
  if (options.size_bytes > facts->available_bytes / task_count) {
    return absl::ResourceExhaustedError(
        fmt::format("{} tasks of {} MiB need more than the {} MiB of memory available; lower "
                    "--tasks or --size",
                    task_count, options.size_bytes >> 20, facts->available_bytes >> 20));
  }
  if (options.memory == FaultedMemory::kAnonymous) return absl::OkStatus();
  // Tried once here, where the message can say more than an errno.
  if (absl::Status status = MakeTemporaryFile(options.directory, options.size_bytes).status();
      !status.ok()) {
    return status;
  }
  if (options.memory == FaultedMemory::kPrivateFile) return absl::OkStatus();
  const absl::StatusOr<std::int64_t> free_bytes = FreeBytes(options.directory);
  if (!free_bytes.ok()) return free_bytes.status();
  if (options.size_bytes <= *free_bytes / task_count) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "{} files of {} MiB need more than the {} MiB free in {}; lower --tasks or --size, or choose "
      "another --dir",
      task_count, options.size_bytes >> 20, *free_bytes >> 20,
      TemporaryDirectory(options.directory).string()));
}

absl::Status Check(const PageFaultOptions& options, std::int64_t pages, std::int64_t faults) {
  if (pages == 0) return absl::FailedPreconditionError("no page was touched; give it more time");
  if (options.populate) return absl::OkStatus();  // Its pages come without faults.
  const double share = static_cast<double>(faults) / static_cast<double>(pages);
  if (options.huge_pages == HugePages::kNever && share < kMinSmallFaultShare) {
    return absl::FailedPreconditionError(fmt::format(
        "{} pages touched with only {} faults, although huge pages were advised against", pages,
        faults));
  }
  if (options.huge_pages == HugePages::kAlways && share > kMaxHugeFaultShare) {
    return absl::FailedPreconditionError(
        fmt::format("{} pages touched with {} faults: huge pages were advised and not given; see "
                    "/sys/kernel/mm/transparent_hugepage/enabled",
                    pages, faults));
  }
  if (faults == 0) {
    return absl::FailedPreconditionError(fmt::format("{} pages touched without any fault", pages));
  }
  return absl::OkStatus();
}

WorkloadResult Describe(const PageFaultOptions& options, const GroupMeasure& measure,
                        double fault_share) {
  const std::string kind = options.threads ? "threads" : "processes";
  const std::string one = options.threads ? "thread" : "process";
  std::int64_t operations = 0;
  std::int64_t fewest = INT64_MAX;
  std::int64_t most = 0;
  for (const TaskMeasure& task : measure.tasks) {
    operations += task.window_operations;
    fewest = std::min(fewest, task.window_operations);
    most = std::max(most, task.window_operations);
  }
  const auto rate = [&](std::int64_t count) {
    return static_cast<double>(count) / measure.window_seconds;
  };
  WorkloadResult result;
  result.lines = {
      {.name = kind + "_ops", .value = rate(operations), .unit = "ops/s", .better = "higher"},
      {.name = "per_" + one + "_ops",
       .value = rate(operations) / options.task_count,
       .unit = "ops/s",
       .better = "higher"},
      {.name = "min_" + one + "_ops", .value = rate(fewest), .unit = "ops/s", .better = "neither"},
      {.name = "max_" + one + "_ops", .value = rate(most), .unit = "ops/s", .better = "neither"},
      {.name = "faults_per_page", .value = fault_share, .unit = "", .better = "neither"},
      {.name = "workload", .value = static_cast<double>(operations), .unit = "ops"}};
  return result;
}

}  // namespace

absl::StatusOr<WorkloadResult> RunPageFault(const PageFaultOptions& options) {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  if (options.size_bytes < page_bytes) {
    return absl::InvalidArgumentError(
        fmt::format("--size {} is less than a page of {} bytes", options.size_bytes, page_bytes));
  }
  if (absl::Status status = CheckRoom(options); !status.ok()) return status;
  absl::StatusOr<GroupMeasure> measure =
      MeasureTasks({.task_count = options.task_count,
                    .threads = options.threads,
                    .pin = options.pin,
                    .warm_up = options.warm_up,
                    .runtime = options.runtime},
                   [&](int) { return std::make_unique<FaultTask>(options, page_bytes); });
  if (!measure.ok()) return measure.status();
  std::int64_t pages = 0;
  std::int64_t faults = 0;
  for (const TaskMeasure& task : measure->tasks) {
    pages += task.total_operations;
    faults += task.minor_faults;
  }
  if (absl::Status status = Check(options, pages, faults); !status.ok()) return status;
  return Describe(options, *measure, static_cast<double>(faults) / static_cast<double>(pages));
}

}  // namespace regressd::agent
