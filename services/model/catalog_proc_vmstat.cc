#include "services/model/catalog_tables.h"

namespace regressd::model {
namespace {

// Running totals that count pages.
constexpr auto kPageCounters = SortedNames({
    "nr_dirtied",
    "nr_foll_pin_acquired",
    "nr_foll_pin_released",
    "nr_throttled_written",
    "nr_vmscan_immediate_reclaim",
    "nr_vmscan_write",
    "nr_written",
    "numa_foreign",
    "numa_hit",
    "numa_interleave",
    "numa_local",
    "numa_miss",
    "numa_other",
    "numa_pages_migrated",
    "pgactivate",
    "pgalloc",
    "pgdeactivate",
    "pgdemote_direct",
    "pgdemote_khugepaged",
    "pgdemote_kswapd",
    "pgdemote_proactive",
    "pgfree",
    "pglazyfree",
    "pglazyfreed",
    "pgmigrate_fail",
    "pgmigrate_success",
    "pgpromote_candidate",
    "pgpromote_candidate_nrl",
    "pgpromote_success",
    "pgrefill",
    "pgreuse",
    "pgrotated",
    "pgscan_anon",
    "pgscan_direct",
    "pgscan_file",
    "pgscan_khugepaged",
    "pgscan_kswapd",
    "pgscan_proactive",
    "pgskip",
    "pgsteal_anon",
    "pgsteal_direct",
    "pgsteal_file",
    "pgsteal_khugepaged",
    "pgsteal_kswapd",
    "pgsteal_proactive",
    "pswpin",
    "pswpout",
    "swap_ra",
    "swap_ra_hit",
    "swpin_zero",
    "swpout_zero",
    "unevictable_pgs_cleared",
    "unevictable_pgs_culled",
    "unevictable_pgs_mlocked",
    "unevictable_pgs_munlocked",
    "unevictable_pgs_rescued",
    "unevictable_pgs_scanned",
    "unevictable_pgs_stranded",
    "workingset_activate",
    "workingset_activate_anon",
    "workingset_activate_file",
    "workingset_refault",
    "workingset_refault_anon",
    "workingset_refault_file",
    "workingset_restore",
    "workingset_restore_anon",
    "workingset_restore_file",
    "zswpin",
    "zswpout",
    "zswpwb",
});

// Running totals that count something else.
constexpr auto kEventCounters = SortedNames({
    "allocstall",
    "balloon_deflate",
    "balloon_inflate",
    "balloon_migrate",
    "cma_alloc_fail",
    "cma_alloc_success",
    "compact_daemon_free_scanned",
    "compact_daemon_migrate_scanned",
    "compact_daemon_wake",
    "compact_fail",
    "compact_free_scanned",
    "compact_isolated",
    "compact_migrate_scanned",
    "compact_stall",
    "compact_success",
    "cow_ksm",
    "direct_map_level2_collapses",
    "direct_map_level2_splits",
    "direct_map_level3_collapses",
    "direct_map_level3_splits",
    "drop_pagecache",
    "drop_slab",
    "htlb_buddy_alloc_fail",
    "htlb_buddy_alloc_success",
    "ksm_swpin_copy",
    "kstack_16k",
    "kstack_1k",
    "kstack_2k",
    "kstack_32k",
    "kstack_4k",
    "kstack_64k",
    "kstack_8k",
    "kstack_rest",
    "kswapd_high_wmark_hit_quickly",
    "kswapd_inodesteal",
    "kswapd_low_wmark_hit_quickly",
    "nr_tlb_local_flush_all",
    "nr_tlb_local_flush_one",
    "nr_tlb_remote_flush",
    "nr_tlb_remote_flush_received",
    "numa_hint_faults",
    "numa_hint_faults_local",
    "numa_huge_pte_updates",
    "numa_pte_updates",
    "numa_task_migrated",
    "numa_task_swapped",
    "oom_kill",
    "pageoutrun",
    "pgfault",
    "pginodesteal",
    "pgmajfault",
    "pgscan_direct_throttle",
    "slabs_scanned",
    "thp_collapse_alloc",
    "thp_collapse_alloc_failed",
    "thp_deferred_split_page",
    "thp_fault_alloc",
    "thp_fault_fallback",
    "thp_fault_fallback_charge",
    "thp_file_alloc",
    "thp_file_fallback",
    "thp_file_fallback_charge",
    "thp_file_mapped",
    "thp_migration_fail",
    "thp_migration_split",
    "thp_migration_success",
    "thp_scan_exceed_none_pte",
    "thp_scan_exceed_share_pte",
    "thp_scan_exceed_swap_pte",
    "thp_split",
    "thp_split_page",
    "thp_split_page_failed",
    "thp_split_pmd",
    "thp_split_pud",
    "thp_swpout",
    "thp_swpout_fallback",
    "thp_underused_split_page",
    "thp_zero_page_alloc",
    "thp_zero_page_alloc_failed",
    "vma_lock_abort",
    "vma_lock_miss",
    "vma_lock_retry",
    "vma_lock_success",
    "vmacache_find_calls",
    "vmacache_find_hits",
    "vmacache_full_flushes",
    "workingset_nodereclaim",
    "zone_reclaim_failed",
    "zone_reclaim_success",
});

// Levels in pages.
constexpr auto kPageLevels = SortedNames({
    "nr_active_anon",
    "nr_active_file",
    "nr_alloc_batch",
    "nr_anon_pages",
    "nr_balloon_pages",
    "nr_bounce",
    "nr_dirty",
    "nr_dirty_background_threshold",
    "nr_dirty_threshold",
    "nr_file_pages",
    "nr_free_cma",
    "nr_free_pages",
    "nr_free_pages_blocks",
    "nr_hugetlb",
    "nr_inactive_anon",
    "nr_inactive_file",
    "nr_iommu_pages",
    "nr_isolated_anon",
    "nr_isolated_file",
    "nr_kernel_file_pages",
    "nr_kernel_misc_reclaimable",
    "nr_mapped",
    "nr_memmap",
    "nr_memmap_boot",
    "nr_memmap_boot_pages",
    "nr_memmap_pages",
    "nr_mlock",
    "nr_page_table_pages",
    "nr_pages_scanned",
    "nr_sec_page_table_pages",
    "nr_shmem",
    "nr_slab_reclaimable",
    "nr_slab_unreclaimable",
    "nr_swapcached",
    "nr_unaccepted",
    "nr_unevictable",
    "nr_unstable",
    "nr_writeback",
    "nr_writeback_temp",
    "nr_zone_active_anon",
    "nr_zone_active_file",
    "nr_zone_inactive_anon",
    "nr_zone_inactive_file",
    "nr_zone_unevictable",
    "nr_zone_write_pending",
    "nr_zspages",
});

// Levels whose unit is another one, or changed from kernel to kernel.
constexpr auto kOtherLevels = SortedNames({
    "nr_anon_transparent_hugepages",
    "nr_file_hugepages",
    "nr_file_pmdmapped",
    "nr_indirectly_reclaimable",
    "nr_kernel_stack",
    "nr_shadow_call_stack",
    "nr_shmem_hugepages",
    "nr_shmem_pmdmapped",
    "workingset_nodes",
});

// Rare events: a hundred of them already say something. After lkp.md 4.4.
constexpr auto kRareEvents = SortedNames({
    "allocstall",
    "compact_fail",
    "compact_stall",
    "htlb_buddy_alloc_fail",
    "kswapd_high_wmark_hit_quickly",
    "kswapd_low_wmark_hit_quickly",
    "nr_vmscan_immediate_reclaim",
    "nr_vmscan_write",
    "pgmigrate_fail",
    "pgscan_direct_throttle",
});

// Where a task had to wait for reclaim. Other events are work done, good or bad only together with
// the workload's result; failures of compaction and huge pages drift with a machine's uptime.
constexpr auto kStalls = SortedNames({"allocstall", "pgscan_direct_throttle"});

// "allocstall_normal", and until Linux 4.7 "pgscan_kswapd_dma32": one name for each zone.
std::string_view WithoutZone(std::string_view name) {
  for (const std::string_view zone :
       {"_dma", "_dma32", "_normal", "_high", "_movable", "_device"}) {
    if (name.ends_with(zone)) return name.substr(0, name.size() - zone.size());
  }
  return name;
}

CatalogEntry Counter(std::string_view unit) {
  return {.known = true,
          .unit = unit,
          .kind = MetricKind::kCounter,
          .reduction = Reduction::kDelta,
          .min_relative_change = 0.05,
          .min_level = 1000};
}

CatalogEntry Level(std::string_view unit) {
  return {.known = true,
          .unit = unit,
          .kind = MetricKind::kGauge,
          .reduction = Reduction::kMean,
          .min_relative_change = 0.05,
          .min_absolute_change = 50,
          .min_level = 100};
}

CatalogEntry RuleOfThumb(std::string_view name) {
  CatalogEntry entry = name.starts_with("nr_") ? Level("") : Counter("");
  entry.known = false;
  return entry;
}

CatalogEntry Find(std::string_view name) {
  if (name == "pgpgin" || name == "pgpgout") return Counter("KiB");
  if (HasName(kPageCounters, name)) return Counter("pages");
  if (HasName(kEventCounters, name)) return Counter("");
  if (HasName(kPageLevels, name)) return Level("pages");
  if (HasName(kOtherLevels, name)) return Level("");
  return RuleOfThumb(name);
}

}  // namespace

CatalogEntry LookupProcVmstat(std::string_view name) {
  CatalogEntry entry = Find(name);
  if (!entry.known) {
    name = WithoutZone(name);
    entry = Find(name);
  }
  if (HasName(kRareEvents, name)) {
    entry.min_level = 100;
    entry.min_absolute_change = 50;
  }
  if (HasName(kStalls, name)) entry.better = Better::kLower;
  if (name == "oom_kill") {
    entry.better = Better::kLower;
    entry.min_level = 0;
    entry.min_absolute_change = 0.5;
  }
  return entry;
}

}  // namespace regressd::model
