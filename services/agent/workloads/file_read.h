#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "services/agent/workloads/page_content.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

enum class FileAccess {
  kReadOnce,  ///< lru-file-readonce: read(2).
  kMmapRead,  ///< lru-file-mmap-read: a shared mapping, every word.
};

struct FileReadOptions {
  FileAccess access = FileAccess::kReadOnce;
  int task_count = 1;
  bool threads = false;
  bool pin = false;
  /// Of all tasks' files together; 0: twice the memory that the cgroup or the machine has.
  std::int64_t size_bytes = 0;
  std::int64_t block_bytes = 4096;             ///< Of one read(2), as dd bs=4k.
  std::chrono::milliseconds runtime{300'000};  ///< At most; 300 s are LKP's.
  bool sparse = true;                          ///< One hole; otherwise written with `content`.
  PageContent content = PageContent::kZero;
  std::filesystem::path directory = {};  ///< Empty: TMPDIR or /tmp.
};

/// What case-lru-file-readonce and case-lru-file-mmap-read of vm-scalability do: each task reads a
/// sparse file of its own once from its start to its end, so that pages used once pass through the
/// file LRU and are reclaimed again. Files may also be written beforehand, and dropped from the
/// page cache, so that a device is read.
///
/// Different from vm-scalability: dd also writes each block to /dev/null; the files are unlinked,
/// so that they vanish with the tasks however they end.
///
/// Checks that each file was read to its end or to the end of the runtime, and that reading holes
/// fills the page cache there; says how many pages were reclaimed.
/// Errors: InvalidArgument; ResourceExhausted when written files do not fit; Unavailable from the
/// system; FailedPrecondition when the check fails.
absl::StatusOr<WorkloadResult> RunFileRead(const FileReadOptions& options);

}  // namespace regressd::agent
