#include "services/agent/monitors/perf_event_sets.h"

#include <algorithm>
#include <initializer_list>

namespace regressd::agent {
namespace {

struct EventSet {
  std::initializer_list<std::string_view>
      words;  ///< One of them in the testcase's name; none: all.
  std::initializer_list<std::string_view> events;
};

const EventSet kSets[] = {
    {{},
     {"vmscan:mm_vmscan_kswapd_wake", "vmscan:mm_vmscan_direct_reclaim_begin",
      "vmscan:mm_vmscan_memcg_reclaim_begin", "vmscan:mm_vmscan_lru_shrink_inactive",
      "vmscan:mm_vmscan_lru_shrink_active", "vmscan:mm_vmscan_write_folio",
      "vmscan:mm_vmscan_throttled", "vmscan:mm_shrink_slab_start", "compaction:mm_compaction_begin",
      "migrate:mm_migrate_pages", "kmem:mm_page_alloc_extfrag", "writeback:writeback_start",
      "writeback:balance_dirty_pages", "oom:mark_victim"}},
    {{"swap", "usemem", "memcg", "kernbench", "build"},
     {"vmscan:mm_vmscan_reclaim_pages", "vmscan:mm_vmscan_node_reclaim_begin",
      "compaction:mm_compaction_kcompactd_wake", "oom:oom_score_adj_update"}},
    {{"fault", "thp", "usemem"},
     {"huge_memory:mm_collapse_huge_page", "huge_memory:mm_khugepaged_scan_pmd", "tlb:tlb_flush"}},
    {{"truncate", "file", "lru", "fsmark", "read", "write"},
     {"pagemap:mm_lru_activate", "writeback:wbc_writepage", "writeback:writeback_written",
      "writeback:global_dirty_state"}},
};

}  // namespace

std::vector<std::string> SoftwareEvents() {
  return {"task-clock",  "cpu-clock",    "context-switches", "cpu-migrations",
          "page-faults", "minor-faults", "major-faults"};
}

std::vector<std::string> HardwareEvents() {
  return {"cycles",           "instructions", "branches",        "branch-misses",
          "cache-references", "cache-misses", "dTLB-load-misses"};
}

std::vector<std::string> TracepointsFor(std::string_view testcase) {
  std::vector<std::string> events;
  for (const EventSet& set : kSets) {
    const bool fits = set.words.size() == 0 ||
                      std::any_of(set.words.begin(), set.words.end(), [&](std::string_view word) {
                        return testcase.find(word) != std::string_view::npos;
                      });
    if (fits) events.insert(events.end(), set.events.begin(), set.events.end());
  }
  return events;
}

std::vector<std::string> CommandEvents() {
  std::vector<std::string> events = {"task-clock:u", "page-faults:u", "minor-faults:u",
                                     "major-faults:u"};
  for (const std::string& event : HardwareEvents()) events.push_back(event + ":u");
  return events;
}

}  // namespace regressd::agent
