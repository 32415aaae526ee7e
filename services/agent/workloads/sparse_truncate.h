#pragma once

#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

struct SparseTruncateOptions {
  int file_count = 256;
  int directory_count = 16;
  std::int64_t file_size_bytes = 4 * 1024 * 1024;
  int round_count = 1;
  bool unlink = false;  ///< Time unlink(2), as mmtests does, in place of ftruncate(2) to 0.
  std::filesystem::path directory =
      {};  ///< On the file system to test; a private one is made in it.
};

/// What sparsetruncate of mmtests does: makes sparse files, fills the page cache by reading them
/// once, then truncates one after the other and takes the time of each.
///
/// Checks with mincore(2) that the page cache was filled before, and is empty after. Leaves nothing
/// behind, also when it is told to stop by SIGINT or SIGTERM, or killed.
/// Errors: InvalidArgument, Unavailable from the file system; FailedPrecondition when the check
/// fails; Cancelled when told to stop.
absl::StatusOr<WorkloadResult> RunSparseTruncate(const SparseTruncateOptions& options);

}  // namespace regressd::agent
