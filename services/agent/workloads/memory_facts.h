#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// How much memory and swap a workload may have, read and never changed.
struct MemoryFacts {
  std::int64_t total_bytes = 0;
  std::int64_t available_bytes = 0;  ///< MemAvailable: without swapping.
  std::int64_t swap_total_bytes = 0;
  std::int64_t swap_free_bytes = 0;
  /// The least limit on the way from the own memory cgroup (v1 or v2) to its root; nullopt: none.
  std::optional<std::int64_t> limit_bytes = {};
  std::string limit_file = {};  ///< That said so: "/sys/fs/cgroup/x/memory.max".
  /// What these cgroups leave for swap; on v1 memory.memsw less the limit of memory.
  std::optional<std::int64_t> swap_limit_bytes = {};
  std::string swap_limit_file = {};
};

/// Errors: Unavailable when /proc/meminfo cannot be read. A machine without cgroups has no limit.
/// `root` stands in front of /proc and of the cgroups' mount points.
absl::StatusOr<MemoryFacts> ReadMemoryFacts(const std::filesystem::path& root = "/");

/// Pages that have gone to swap and come back since boot, on the whole machine: to a device (which
/// zram is), to zswap, and those of zeros that are only noted down. A page that zswap writes to its
/// device later counts once.
struct SwapCounters {
  std::int64_t pages_out = 0;
  std::int64_t pages_in = 0;
};

/// Errors: Unavailable when /proc/vmstat cannot be read or has no pswpout.
absl::StatusOr<SwapCounters> ReadSwapCounters(const std::filesystem::path& root = "/");

}  // namespace regressd::agent
