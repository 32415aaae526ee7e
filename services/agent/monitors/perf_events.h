#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// Events that `perf stat -a` can count here.
struct PerfEvents {
  std::vector<std::string> events;
  std::string restrictions;  ///< What had to be left out and why; empty for nothing.
};

/// Tries `wanted` (empty: our own choice for swap and LRU work: software events, reclaim,
/// compaction and writeback tracepoints of `tracefs`, and hardware events). Takes a fraction of a
/// second.
/// Errors: NotFound without perf; PermissionDenied, naming the setting, when the machine may not be
/// counted as a whole; FailedPrecondition when no event is left.
absl::StatusOr<PerfEvents> ProbePerfEvents(
    const std::vector<std::string>& wanted,
    const std::filesystem::path& tracefs = "/sys/kernel/tracing");

/// PermissionDenied with the cure when `perf` said that it may not; otherwise Unavailable with its
/// last line.
absl::Status PerfRefusal(const std::string& perf_text);

}  // namespace regressd::agent
