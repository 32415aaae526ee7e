#pragma once

#include <chrono>
#include <cstdint>

#include "absl/status/statusor.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

enum class HugePages {
  kDefault,  ///< As the system is set.
  kAlways,   ///< madvise(MADV_HUGEPAGE).
  kNever,    ///< madvise(MADV_NOHUGEPAGE).
};

struct PageFaultOptions {
  int task_count = 1;
  bool threads = false;                         ///< Of one process; otherwise processes.
  std::int64_t size_bytes = 128 * 1024 * 1024;  ///< Of each mapping.
  std::chrono::milliseconds warm_up{1000};
  std::chrono::milliseconds runtime{5000};
  HugePages huge_pages = HugePages::kDefault;
  bool populate = false;  ///< MAP_POPULATE: the kernel fills the mapping before it is touched.
  bool pin = true;        ///< Each task to one CPU, in turn over those allowed.
};

/// What page_fault1 of will-it-scale does: each task maps anonymous private memory, writes one byte
/// of each page, unmaps it, and begins again. An operation is a page written.
///
/// Checks by the tasks' fault counts that pages came as asked for.
/// Errors: InvalidArgument for impossible options; ResourceExhausted when the memory is not there;
/// FailedPrecondition when the check fails, saying what was seen.
absl::StatusOr<WorkloadResult> RunPageFault(const PageFaultOptions& options);

}  // namespace regressd::agent
