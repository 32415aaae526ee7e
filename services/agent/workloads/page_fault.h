#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "services/agent/workloads/mapping.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

/// What is mapped: page_fault1, page_fault2, page_fault3 of will-it-scale.
enum class FaultedMemory {
  kAnonymous,    ///< Private memory without a file.
  kPrivateFile,  ///< A file of holes, privately: each write copies a page of the page cache.
  kSharedFile,   ///< A file of holes, shared: each write makes a page of the page cache dirty.
};

struct PageFaultOptions {
  FaultedMemory memory = FaultedMemory::kAnonymous;
  int task_count = 1;
  bool threads = false;                         ///< Of one process; otherwise processes.
  std::int64_t size_bytes = 128 * 1024 * 1024;  ///< Of each mapping.
  std::chrono::milliseconds warm_up{1000};
  std::chrono::milliseconds runtime{5000};
  HugePages huge_pages = HugePages::kDefault;
  bool populate = false;  ///< MAP_POPULATE: the kernel fills the mapping before it is touched.
  bool pin = true;        ///< Each task to one CPU, in turn over those allowed.
  std::filesystem::path directory = {};  ///< Of the files; empty: TMPDIR or /tmp.
};

/// What page_fault1, 2 and 3 of will-it-scale do: each task maps memory, or an unlinked file of its
/// own, writes one byte of each page, unmaps it, and begins again. An operation is a page written,
/// as there: a kernel that maps the pages of a large folio together needs fewer faults than pages.
///
/// Different from will-it-scale: the group is measured over one window and not once a second, and
/// tasks are pinned to CPUs by number without a look at their topology.
///
/// Checks by the tasks' fault counts that pages came as asked for. The files vanish with the tasks,
/// however they end.
/// Errors: InvalidArgument for impossible options; ResourceExhausted when the memory or the room on
/// the file system is not there; Unavailable from the file system; FailedPrecondition when the
/// check fails, saying what was seen.
absl::StatusOr<WorkloadResult> RunPageFault(const PageFaultOptions& options);

}  // namespace regressd::agent
