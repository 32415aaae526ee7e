#pragma once

#include <cstdint>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// Share of a file's pages that are in the page cache, in its last `size_bytes` up to `end_bytes`.
/// Errors: Unavailable from the system.
absl::StatusOr<double> CachedShare(int fd, std::int64_t end_bytes, std::int64_t size_bytes);

/// Pages of files that reclaim has freed since boot, on the whole machine, for whatever reason.
/// Errors: Unavailable when /proc/vmstat does not say.
absl::StatusOr<std::int64_t> ReclaimedFilePages();

}  // namespace regressd::agent
