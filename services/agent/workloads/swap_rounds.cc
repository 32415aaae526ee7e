#include "services/agent/workloads/swap_rounds.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "services/agent/workloads/memory_facts.h"
#include "services/agent/workloads/swap_plan.h"

namespace regressd::agent {
namespace {

using Clock = std::chrono::steady_clock;

double MicrosecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// A page or two may be shared with what the process does besides.
constexpr double kMostCachedShare = 0.1;

/// A swap device that writes later, a disk or a file on one, leaves pages in the swap cache until
/// memory is short: to read those is no swap-in.
absl::Status CheckNoneCached(const Mapping& mapping, std::int64_t size_bytes,
                             std::int64_t page_bytes) {
  std::vector<unsigned char> resident(static_cast<std::size_t>(size_bytes / page_bytes));
  if (mincore(const_cast<char*>(mapping.bytes()), static_cast<std::size_t>(size_bytes),
              resident.data()) != 0) {
    return absl::UnavailableError(fmt::format("mincore: {}", std::strerror(errno)));
  }
  const auto cached = std::count_if(resident.begin(), resident.end(),
                                    [](unsigned char page) { return (page & 1) != 0; });
  if (static_cast<double>(cached) <= kMostCachedShare * static_cast<double>(resident.size())) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      fmt::format("{} of {} pages that were sent to swap are still in the swap cache, so reading "
                  "them measures no swap device: this one writes later, as disks do; use zram "
                  "(--setup-swap zram:SIZE), or swap-r-seq, which makes memory short",
                  cached, resident.size()));
}

/// Microseconds of one round's timed half.
absl::StatusOr<double> Round(const SwapRoundsOptions& options, int round, std::int64_t page_bytes) {
  const std::int64_t pages = options.size_bytes / page_bytes;
  const Mapping mapping({.size_bytes = options.size_bytes, .huge_pages = options.huge_pages});
  if (!mapping.valid()) {
    return absl::UnavailableError(
        fmt::format("cannot map {} bytes: {}", options.size_bytes, std::strerror(mapping.error())));
  }
  const ContentSource source(options.content, static_cast<std::uint64_t>(round));
  source.Fill(mapping.words(), 0,
              options.size_bytes / static_cast<std::int64_t>(sizeof(std::uint64_t)));

  const absl::StatusOr<SwapCounters> before = ReadSwapCounters(options.root);
  const Clock::time_point out_begin = Clock::now();
  const int error = mapping.Advise(MADV_PAGEOUT);
  const double out_us = MicrosecondsSince(out_begin);
  const absl::StatusOr<SwapCounters> between = ReadSwapCounters(options.root);
  if (error != 0) {
    return absl::UnavailableError(
        fmt::format("madvise(MADV_PAGEOUT): {}; it needs Linux 5.4", std::strerror(error)));
  }
  if (!before.ok()) return before.status();
  if (!between.ok()) return between.status();
  absl::Status status = CheckTraffic(
      {.expected_pages = pages, .counted_pages = between->pages_out - before->pages_out},
      "swapped out");
  if (!status.ok()) return status;
  if (options.direction == SwapDirection::kOut) return out_us;

  if (status = CheckNoneCached(mapping, options.size_bytes, page_bytes); !status.ok()) {
    return status;
  }
  const Clock::time_point in_begin = Clock::now();
  for (std::int64_t i = 0; i < options.size_bytes; i += page_bytes) {
    static_cast<void>(mapping.bytes()[i]);
  }
  const double in_us = MicrosecondsSince(in_begin);
  const absl::StatusOr<SwapCounters> after = ReadSwapCounters(options.root);
  if (!after.ok()) return after.status();
  status =
      CheckTraffic({.expected_pages = pages, .counted_pages = after->pages_in - between->pages_in},
                   "swapped in");
  if (!status.ok()) return status;
  return in_us;
}

}  // namespace

absl::StatusOr<WorkloadResult> RunSwapRounds(const SwapRoundsOptions& options) {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  if (options.round_count < 1 || options.size_bytes < page_bytes) {
    return absl::InvalidArgumentError(fmt::format(
        "--rounds must be at least 1 and --size at least a page of {} bytes", page_bytes));
  }
  const absl::StatusOr<MemoryFacts> facts = ReadMemoryFacts(options.root);
  if (!facts.ok()) return facts.status();
  if (absl::Status status = CheckSwapHolds(*facts, options.size_bytes); !status.ok()) return status;
  const std::int64_t memory_bytes =
      std::min(facts->available_bytes, facts->limit_bytes.value_or(facts->available_bytes));
  if (options.size_bytes > memory_bytes) {
    return absl::ResourceExhaustedError(
        fmt::format("--size of {} MiB is more than the {} MiB of memory to be had, so it would be "
                    "swapped before "
                    "the clock starts; lower it",
                    options.size_bytes >> 20, memory_bytes >> 20));
  }
  std::vector<double> times_us;
  for (int round = 0; round < options.round_count; ++round) {
    const absl::StatusOr<double> time_us = Round(options, round, page_bytes);
    if (!time_us.ok()) return time_us.status();
    times_us.push_back(*time_us);
  }
  const double sum_us = std::accumulate(times_us.begin(), times_us.end(), 0.0);
  const auto rounds = static_cast<double>(times_us.size());
  const double kib = static_cast<double>(options.size_bytes) / 1024;
  WorkloadResult result;
  result.lines = {{.name = "rounds", .value = rounds, .unit = "", .better = "neither"},
                  {.name = "mean", .value = sum_us / rounds, .unit = "us", .better = "lower"},
                  {.name = "throughput",
                   .value = kib * rounds / (sum_us * 1e-6),
                   .unit = "KB/s",
                   .better = "neither"}};
  result.observations = {
      {.name = "Time", .unit = "us", .better = "lower", .values = std::move(times_us)}};
  return result;
}

}  // namespace regressd::agent
