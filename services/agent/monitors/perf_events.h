#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// Events that `perf stat` can count here.
struct PerfEvents {
  std::vector<std::string> events;
  bool whole_machine = true;  ///< False: only the command and what it starts, in user space.
  std::string restrictions;   ///< What had to be left out and why; empty for nothing.
};

/// Tries `wanted` (empty: our own choice for `testcase`: software events, those tracepoints of
/// `tracefs` that fit, and hardware events). Takes a fraction of a second. Where the machine may
/// not be counted as a whole, the events of the command alone. Errors: NotFound without perf;
/// PermissionDenied, naming the setting, when not even those may be counted; FailedPrecondition
/// when no event is left.
absl::StatusOr<PerfEvents> ProbePerfEvents(
    const std::vector<std::string>& wanted, std::string_view testcase,
    const std::filesystem::path& tracefs = "/sys/kernel/tracing");

/// PermissionDenied with the cure when `perf` said that it may not; otherwise Unavailable with its
/// last line.
absl::Status PerfRefusal(const std::string& perf_text);

}  // namespace regressd::agent
