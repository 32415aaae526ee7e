#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "services/agent/workloads/mapping.h"
#include "services/agent/workloads/page_content.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

enum class SwapAccess {
  kWriteSequential,  ///< swap-w-seq
  kWriteRandom,      ///< swap-w-rand
  kReadSequential,   ///< swap-r-seq
};

struct SwapFillOptions {
  SwapAccess access = SwapAccess::kWriteSequential;
  int task_count = 1;
  bool threads = false;
  bool pin = false;                            ///< usemem leaves it to the scheduler.
  std::int64_t size_bytes = 0;                 ///< Of all tasks together; 0: see PlanSwap.
  std::chrono::milliseconds runtime{300'000};  ///< At most; 300 s are LKP's.
  PageContent content = PageContent::kIndex;
  HugePages huge_pages = HugePages::kDefault;
  std::uint64_t seed = 1;            ///< Of random places and random content.
  std::filesystem::path root = "/";  ///< In front of /proc and cgroups.
};

/// What case-swap-w-seq and case-swap-w-rand of vm-scalability do: the tasks share a size beyond
/// the memory that they may have, and each maps its share and writes every word of it once, in
/// sequence or (as many words) at random places. swap-r-seq is the reading half of case-swapin:
/// each task has written its share, it is pushed out, and the clock runs while the tasks read all
/// words back in sequence.
///
/// Different from vm-scalability: the size follows from the memory cgroup's limit in place of the
/// machine's memory; a byte counts once, where usemem adds an eighth for its allocation; swap-r-seq
/// pushes its pages out by MADV_PAGEOUT and not by a second memory hog; no task gives its memory
/// back before all are done, as usemem --sync-free.
///
/// Checks by /proc/vmstat that what cannot have stayed in memory was swapped.
/// Errors: as PlanSwap; Unavailable when a task was killed; FailedPrecondition when the check
/// fails.
absl::StatusOr<WorkloadResult> RunSwapFill(const SwapFillOptions& options);

}  // namespace regressd::agent
