#pragma once

#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "services/agent/workloads/mapping.h"
#include "services/agent/workloads/page_content.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

enum class SwapDirection { kOut, kIn };

struct SwapRoundsOptions {
  SwapDirection direction = SwapDirection::kOut;
  std::int64_t size_bytes = 256 * 1024 * 1024;
  int round_count = 24;
  PageContent content = PageContent::kZero;
  HugePages huge_pages = HugePages::kNever;  ///< 4k folios, unless said otherwise.
  std::filesystem::path root = "/";          ///< In front of /proc.
};

/// The test by which kernel developers time sequential swap ("8G 4k zero folios, 24 runs"): each
/// round maps memory, writes all pages, sends them to swap by one madvise(MADV_PAGEOUT) over all of
/// it (timed by swapout-seq), and reads one word of each page in sequence (timed by swapin-seq).
/// The developers' own programs are not published as a suite: that a round begins with new memory,
/// and that one word a page is read, is our reading of their mails.
///
/// Checks each round by /proc/vmstat that all of it went out, and for swapin-seq came back. What is
/// left in swap goes away with the mapping.
/// Errors: as CheckSwapHolds; InvalidArgument; Unavailable from the system; FailedPrecondition when
/// the check fails.
absl::StatusOr<WorkloadResult> RunSwapRounds(const SwapRoundsOptions& options);

}  // namespace regressd::agent
