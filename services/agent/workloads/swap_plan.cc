#include "services/agent/workloads/swap_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace regressd::agent {
namespace {

absl::Status CheckSwapIsThere(const MemoryFacts& facts) {
  if (facts.swap_total_bytes == 0) {
    return absl::FailedPreconditionError(
        "no swap is on: SwapTotal in /proc/meminfo is 0; turn some on (mkswap FILE && swapon FILE, "
        "as root) and try again");
  }
  if (facts.swap_limit_bytes && *facts.swap_limit_bytes == 0) {
    return absl::FailedPreconditionError(fmt::format(
        "the memory cgroup allows no swap: {} leaves none; raise it", facts.swap_limit_file));
  }
  return absl::OkStatus();
}

std::int64_t SwapSpace(const MemoryFacts& facts) {
  return std::min(facts.swap_free_bytes, facts.swap_limit_bytes.value_or(facts.swap_free_bytes));
}

}  // namespace

absl::StatusOr<SwapPlan> PlanSwap(const MemoryFacts& facts, std::int64_t asked_bytes) {
  if (absl::Status status = CheckSwapIsThere(facts); !status.ok()) return status;
  const std::int64_t swap_space = SwapSpace(facts);
  SwapPlan plan;
  // A limit above what the machine has limits nothing.
  const bool limited = facts.limit_bytes && *facts.limit_bytes < facts.available_bytes;
  plan.memory_bytes = limited ? *facts.limit_bytes : facts.available_bytes;
  plan.size_bytes = asked_bytes;
  if (asked_bytes == 0) {
    if (!limited) {
      return absl::InvalidArgumentError(
          fmt::format("no memory cgroup limits this process to less than the {} MiB available, so "
                      "--size has no "
                      "default; run it in a cgroup with a memory limit, or say --size to push the "
                      "whole machine "
                      "into swap",
                      facts.available_bytes >> 20));
    }
    plan.size_bytes = std::min(2 * plan.memory_bytes, plan.memory_bytes + swap_space / 4 * 3);
  }
  const std::string memory_text =
      limited ? fmt::format("the {} MiB of {}", plan.memory_bytes >> 20, facts.limit_file)
              : fmt::format("the {} MiB of memory available", plan.memory_bytes >> 20);
  if (plan.size_bytes <= plan.memory_bytes) {
    return absl::InvalidArgumentError(
        fmt::format("--size of {} MiB fits into {}: nothing would be swapped; ask for more",
                    plan.size_bytes >> 20, memory_text));
  }
  if (plan.size_bytes > plan.memory_bytes + swap_space) {
    return absl::ResourceExhaustedError(fmt::format(
        "--size of {} MiB is more than {} and {} MiB of swap space together; lower it or "
        "turn on more swap",
        plan.size_bytes >> 20, memory_text, swap_space >> 20));
  }
  return plan;
}

absl::Status CheckSwapHolds(const MemoryFacts& facts, std::int64_t size_bytes) {
  if (absl::Status status = CheckSwapIsThere(facts); !status.ok()) return status;
  const std::int64_t swap_space = SwapSpace(facts);
  if (size_bytes <= swap_space) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "--size of {} MiB is more than the {} MiB of swap space; lower it or turn on more "
      "swap",
      size_bytes >> 20, swap_space >> 20));
}

absl::Status CheckTraffic(const SwapTraffic& traffic, const char* direction) {
  if (traffic.counted_pages >= traffic.expected_pages / 10 * 9) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("{} pages should have been {}, and the kernel counted only {} (pswp*, zswp*, "
                  "swp*_zero in /proc/vmstat); was swap full, or does this kernel swap zeros "
                  "uncounted (--content random)?",
                  traffic.expected_pages, direction, traffic.counted_pages));
}

}  // namespace regressd::agent
