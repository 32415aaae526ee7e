#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/workloads/memory_facts.h"

namespace regressd::agent {

/// How much memory a swap workload fills, and what of it cannot stay in memory.
struct SwapPlan {
  std::int64_t size_bytes = 0;
  std::int64_t memory_bytes = 0;  ///< The cgroup's limit, or what the machine has available.
};

/// Chooses `asked_bytes`, or when it is 0 twice the cgroup's limit, but no more than the limit and
/// three quarters of the swap space.
/// Errors: FailedPrecondition when no swap is on or the cgroup allows none; InvalidArgument when
/// nothing was asked and there is no limit, or what was asked fits in memory; ResourceExhausted
/// when memory and swap together do not hold it. Each says what would help.
absl::StatusOr<SwapPlan> PlanSwap(const MemoryFacts& facts, std::int64_t asked_bytes);

/// Whether swap is on and holds `size_bytes`, all of which shall go there.
/// Errors: as PlanSwap.
absl::Status CheckSwapHolds(const MemoryFacts& facts, std::int64_t size_bytes);

/// What one direction should have moved, and what the kernel counted.
struct SwapTraffic {
  std::int64_t expected_pages = 0;
  std::int64_t counted_pages = 0;
};

/// Whether at least nine tenths of the expected pages were counted: the rest may be pages that the
/// kernel's own bookkeeping kept out or in.
/// Errors: FailedPrecondition, naming both numbers and `direction` ("swapped out").
absl::Status CheckTraffic(const SwapTraffic& traffic, const char* direction);

}  // namespace regressd::agent
