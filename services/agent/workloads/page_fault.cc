#include "services/agent/workloads/page_fault.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include "services/agent/workloads/task_group.h"

namespace regressd::agent {
namespace {

// A huge page of the smallest kind that saves faults at all holds two pages, so half is the border.
constexpr double kMaxHugeFaultShare = 0.5;
constexpr double kMinSmallFaultShare = 0.99;

std::int64_t AvailableBytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  std::string unit;
  std::int64_t kib = 0;
  while (meminfo >> name >> kib) {
    std::getline(meminfo, unit);
    if (name == "MemAvailable:") return kib * 1024;
  }
  return INT64_MAX;
}

/// The mapping as asked for; MAP_FAILED with errno.
void* Map(const PageFaultOptions& options) {
  const auto size = static_cast<std::size_t>(options.size_bytes);
  const int populate = options.populate ? MAP_POPULATE : 0;
  // Advice must come before the first page, so a populated mapping with advice is filled by
  // madvise.
  const bool advised = options.huge_pages != HugePages::kDefault;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | (advised ? 0 : populate), -1, 0);
  if (memory == MAP_FAILED || !advised) return memory;
  const int advice = options.huge_pages == HugePages::kAlways ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
  if (madvise(memory, size, advice) != 0 ||
      (options.populate && madvise(memory, size, MADV_POPULATE_WRITE) != 0)) {
    const int error = errno;
    munmap(memory, size);
    errno = error;
    return MAP_FAILED;
  }
  return memory;
}

void FaultLoop(const PageFaultOptions& options, std::int64_t page_bytes, TaskSlot& slot,
               const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_relaxed)) {
    void* memory = Map(options);
    if (memory == MAP_FAILED) {
      slot.error = errno;
      return;
    }
    auto* bytes = static_cast<volatile char*>(memory);
    std::int64_t count = slot.operation_count.load(std::memory_order_relaxed);
    for (std::int64_t i = 0; i < options.size_bytes; i += page_bytes) {
      bytes[i] = 0;
      // A plain store: only this task writes the counter.
      slot.operation_count.store(++count, std::memory_order_relaxed);
    }
    munmap(memory, static_cast<std::size_t>(options.size_bytes));
  }
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
  const std::int64_t available = AvailableBytes();
  if (options.size_bytes > available / std::max(options.task_count, 1)) {
    return absl::ResourceExhaustedError(
        fmt::format("{} tasks of {} MiB need more than the {} MiB of memory available; lower "
                    "--tasks or --size",
                    options.task_count, options.size_bytes >> 20, available >> 20));
  }
  absl::StatusOr<GroupMeasure> measure =
      MeasureTasks({.task_count = options.task_count,
                    .threads = options.threads,
                    .pin = options.pin,
                    .warm_up = options.warm_up,
                    .runtime = options.runtime},
                   [&](TaskSlot& slot, const std::atomic<bool>& stop) {
                     FaultLoop(options, page_bytes, slot, stop);
                   });
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
