#include "services/agent/workloads/swap_fill.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "services/agent/workloads/memory_facts.h"
#include "services/agent/workloads/swap_plan.h"
#include "services/agent/workloads/task_group.h"
#include "services/agent/workloads/throughput.h"

namespace regressd::agent {
namespace {

constexpr std::int64_t kWordBytes = sizeof(std::uint64_t);

class FillTask : public Task {
 public:
  FillTask(const SwapFillOptions& options, std::int64_t share_bytes, int index)
      : options_(options),
        share_bytes_(share_bytes),
        page_words_(sysconf(_SC_PAGESIZE) / kWordBytes),
        source_(options.content, options.seed + static_cast<std::uint64_t>(index)) {}

  int Prepare() override {
    mapping_ = Mapping({.size_bytes = share_bytes_, .huge_pages = options_.huge_pages});
    if (!mapping_.valid()) return mapping_.error();
    if (options_.access != SwapAccess::kReadSequential) return 0;
    source_.Fill(mapping_.words(), 0, WordCount());
    return mapping_.Advise(MADV_PAGEOUT);
  }

  void Work(TaskSlot& slot, const std::atomic<bool>& stop) override {
    const std::int64_t words = WordCount();
    // The counter and the flag are looked after once a page: they shall not be what is measured.
    for (std::int64_t begin = 0; begin < words && !stop.load(std::memory_order_relaxed);
         begin += page_words_) {
      const std::int64_t end = std::min(begin + page_words_, words);
      TouchPage(begin, end);
      slot.operation_count.store(end, std::memory_order_relaxed);
    }
  }

  void Release() override { mapping_.Unmap(); }

 private:
  std::int64_t WordCount() const { return share_bytes_ / kWordBytes; }

  void TouchPage(std::int64_t begin, std::int64_t end) {
    volatile std::uint64_t* words = mapping_.words();
    switch (options_.access) {
      case SwapAccess::kWriteSequential:
        source_.Fill(words, begin, end);
        return;
      case SwapAccess::kReadSequential:
        for (std::int64_t i = begin; i < end; ++i) static_cast<void>(words[i]);
        return;
      case SwapAccess::kWriteRandom:
        for (std::int64_t i = begin; i < end; ++i) {
          const std::uint64_t place =
              source_.Draw(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(WordCount()));
          words[place] = source_.Word(place);
        }
        return;
    }
  }

  const SwapFillOptions& options_;
  const std::int64_t share_bytes_;
  const std::int64_t page_words_;
  const ContentSource source_;
  Mapping mapping_;
};

/// Pages that the tasks have touched at least once.
double TouchedPages(const SwapFillOptions& options, std::int64_t share_bytes,
                    const GroupMeasure& measure, std::int64_t page_bytes) {
  const double share_pages = static_cast<double>(share_bytes) / static_cast<double>(page_bytes);
  double pages = 0;
  for (const TaskMeasure& task : measure.tasks) {
    const auto words = static_cast<double>(task.total_operations);
    pages += options.access == SwapAccess::kWriteRandom
                 // How many of n boxes are not empty after k balls.
                 ? -share_pages * std::expm1(-words / share_pages)
                 : words * kWordBytes / static_cast<double>(page_bytes);
  }
  return pages;
}

absl::Status Check(const SwapFillOptions& options, const SwapPlan& plan, std::int64_t touched_pages,
                   std::int64_t page_bytes, const SwapCounters& moved) {
  const std::int64_t memory_pages = plan.memory_bytes / page_bytes;
  if (touched_pages <= memory_pages) {
    return absl::FailedPreconditionError(fmt::format(
        "only {} pages were touched in {} s, which {} pages of memory hold: nothing had to be "
        "swapped; give it more --runtime, or less memory",
        touched_pages, options.runtime.count() / 1000, memory_pages));
  }
  const bool reads = options.access == SwapAccess::kReadSequential;
  return CheckTraffic({.expected_pages = touched_pages - memory_pages,
                       .counted_pages = reads ? moved.pages_in : moved.pages_out},
                      reads ? "swapped in" : "swapped out");
}

}  // namespace

absl::StatusOr<WorkloadResult> RunSwapFill(const SwapFillOptions& options) {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const absl::StatusOr<MemoryFacts> facts = ReadMemoryFacts(options.root);
  if (!facts.ok()) return facts.status();
  const absl::StatusOr<SwapPlan> plan = PlanSwap(*facts, options.size_bytes);
  if (!plan.ok()) return plan.status();
  const std::int64_t share_bytes =
      plan->size_bytes / std::max(options.task_count, 1) / page_bytes * page_bytes;
  if (share_bytes == 0) {
    return absl::InvalidArgumentError(fmt::format("{} tasks cannot share {} bytes by whole pages",
                                                  options.task_count, plan->size_bytes));
  }
  absl::StatusOr<SwapCounters> before = ReadSwapCounters(options.root);
  absl::StatusOr<GroupMeasure> measure = CompleteTasks(
      {.task_count = options.task_count,
       .threads = options.threads,
       .pin = options.pin,
       .runtime = options.runtime,
       // What the preparation swapped out is not what is measured.
       .at_start = [&] { before = ReadSwapCounters(options.root); }},
      [&](int index) { return std::make_unique<FillTask>(options, share_bytes, index); });
  if (!measure.ok()) return measure.status();
  const absl::StatusOr<SwapCounters> after = ReadSwapCounters(options.root);
  if (!before.ok()) return before.status();
  if (!after.ok()) return after.status();
  const SwapCounters moved{.pages_out = after->pages_out - before->pages_out,
                           .pages_in = after->pages_in - before->pages_in};
  const auto touched =
      static_cast<std::int64_t>(TouchedPages(options, share_bytes, *measure, page_bytes));
  if (absl::Status status = Check(options, *plan, touched, page_bytes, moved); !status.ok()) {
    return status;
  }
  WorkloadResult result = DescribeThroughput(*measure, kWordBytes);
  result.lines.push_back(
      {.name = "swapped_out", .value = static_cast<double>(moved.pages_out), .unit = "pages"});
  result.lines.push_back(
      {.name = "swapped_in", .value = static_cast<double>(moved.pages_in), .unit = "pages"});
  return result;
}

}  // namespace regressd::agent
