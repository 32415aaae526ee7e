#include "services/parse/perf_lock.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "services/model/profile_name.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

// Beginnings of functions that take the lock, Linux 5.19 to 6.18. The first that fits decides.
constexpr std::array kFunctions = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"folio_batch_move_lru", "lru_lock"},
    {"folio_lruvec_", "lru_lock"},
    {"lru_", "lru_lock"},
    {"lruvec_", "lru_lock"},
    {"pagevec_lru_", "lru_lock"},
    {"__pagevec_lru_", "lru_lock"},
    {"__page_cache_release", "lru_lock"},
    {"page_cache_release", "lru_lock"},
    {"release_pages", "lru_lock"},
    {"folios_put_refs", "lru_lock"},
    {"shrink_inactive_list", "lru_lock"},
    {"shrink_active_list", "lru_lock"},
    {"shrink_lruvec", "lru_lock"},
    {"evict_folios", "lru_lock"},
    {"move_folios_to_lru", "lru_lock"},
    {"move_pages_to_lru", "lru_lock"},
    {"isolate_", "lru_lock"},
    {"check_move_unevictable", "lru_lock"},
    {"get_swap_page", "swap"},
    {"scan_swap_map", "swap"},
    {"swap_", "swap"},
    {"__swap_", "swap"},
    {"swapcache_", "swap"},
    {"free_swap_", "swap"},
    {"put_swap_", "swap"},
    {"add_to_swap", "swap"},
    {"__add_to_swap_cache", "swap"},
    {"delete_from_swap_cache", "swap"},
    {"__delete_from_swap_cache", "swap"},
    {"folio_alloc_swap", "swap"},
    {"folio_free_swap", "swap"},
    {"cluster_alloc_swap", "swap"},
    {"alloc_swap_scan", "swap"},
    {"si_swap", "swap"},
    {"rmqueue", "zone_lock"},
    {"__rmqueue", "zone_lock"},
    {"free_pcppages_bulk", "zone_lock"},
    {"free_one_page", "zone_lock"},
    {"__free_one_page", "zone_lock"},
    {"free_unref_", "zone_lock"},
    {"free_frozen_", "zone_lock"},
    {"get_page_from_freelist", "zone_lock"},
    {"zs_", "zram"},
    {"zram_", "zram"},
    {"zcomp_", "zram"},
    {"zswap_", "zram"},
    {"obj_malloc", "zram"},
    {"do_user_addr_fault", "mmap_lock"},
    {"lock_mm_and_find_vma", "mmap_lock"},
    {"lock_vma_under_rcu", "mmap_lock"},
    {"exc_page_fault", "mmap_lock"},
    {"vm_mmap_pgoff", "mmap_lock"},
    {"__vm_munmap", "mmap_lock"},
    {"do_mprotect", "mmap_lock"},
    {"do_madvise", "mmap_lock"},
    {"madvise_lock", "mmap_lock"},
    {"exit_mmap", "mmap_lock"},
    {"dup_mmap", "mmap_lock"},
    {"khugepaged", "mmap_lock"},
    {"__pte_offset_map_lock", "page_table"},
    {"pte_offset_map_lock", "page_table"},
    {"copy_pte_range", "page_table"},
    {"zap_pte_range", "page_table"},
    {"do_anonymous_page", "page_table"},
    {"do_swap_page", "page_table"},
    {"wp_page_copy", "page_table"},
    {"page_vma_mapped_walk", "page_table"},
    {"folio_lock_anon_vma_read", "anon_vma"},
    {"page_lock_anon_vma_read", "anon_vma"},
    {"unlink_anon_vmas", "anon_vma"},
    {"anon_vma_", "anon_vma"},
    {"mem_cgroup_", "memcg"},
    {"__mem_cgroup_", "memcg"},
    {"try_charge", "memcg"},
    {"cgroup_rstat_", "memcg"},
    {"css_rstat_", "memcg"},
    {"drain_obj_stock", "memcg"},
    {"refill_obj_stock", "memcg"},
});

std::optional<double> MicrosecondsPer(std::string_view unit) {
  if (unit == "ns") return 1e-3;
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  if (unit == "m") return 60e6;
  return std::nullopt;
}

/// "folio_batch_move_lru" of "folio_batch_move_lru+0x88" and "__page_cache_release.part.0+0x58".
std::string_view FunctionOf(std::string_view caller) {
  return model::FunctionName(caller.substr(0, caller.find("+0x")));
}

}  // namespace

LockContentionText ParseLockContention(std::string_view text) {
  // count, three waits of two words each, type, caller.
  constexpr std::size_t kWords = 9;
  LockContentionText result;
  std::string_view line;
  std::vector<std::string_view> words;
  bool in_table = false;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    SplitWords(line, &words);
    if (words.empty()) continue;
    if (words[0] == "contended") {
      in_table = true;
      continue;
    }
    if (!in_table || words[0].starts_with('=')) {
      in_table = false;  // perf's own statistics of bad events follow.
      continue;
    }
    const auto count = ToInt(words[0]);
    const auto wait = words.size() >= kWords ? ToDouble(words[1]) : std::nullopt;
    const auto unit = words.size() >= kWords ? MicrosecondsPer(words[2]) : std::nullopt;
    if (!count || !wait || !unit) {
      result.problems.push_back(
          Error(line_number, "not_contention",
                fmt::format("{} is no line of perf lock contention and is left out", Quote(line))));
      continue;
    }
    result.places.push_back({.contended_count = *count,
                             .total_wait_us = *wait * *unit,
                             .type = std::string(words[7]),
                             .function = std::string(FunctionOf(words[8]))});
  }
  return result;
}

std::string_view LockOf(std::string_view function) {
  for (const auto& [beginning, lock] : kFunctions) {
    if (function.starts_with(beginning)) return lock;
  }
  return "other";
}

const std::vector<std::string_view>& LockNames() {
  static const std::vector<std::string_view> names = {"lru_lock", "swap",      "zone_lock",
                                                      "zram",     "mmap_lock", "page_table",
                                                      "anon_vma", "memcg",     "other"};
  return names;
}

}  // namespace regressd::parse
