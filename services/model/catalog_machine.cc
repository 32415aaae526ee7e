#include "services/model/catalog_tables.h"

namespace regressd::model {
namespace {

// What these say of a change is that the machine worked differently; they explain, and never gate.
CatalogEntry Explaining(std::string_view unit, MetricKind kind) {
  return {.known = false,
          .unit = unit,
          .kind = kind,
          .reduction = kind == MetricKind::kCounter ? Reduction::kDelta : Reduction::kMean,
          .min_relative_change = 0.05};
}

CatalogEntry Level(std::string_view unit) { return Explaining(unit, MetricKind::kGauge); }
CatalogEntry Total(std::string_view unit) { return Explaining(unit, MetricKind::kCounter); }

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// Bytes of memory.stat, cgroup v2 and v1.
constexpr auto kCgroupBytes = SortedNames({
    "active_anon",
    "active_file",
    "anon",
    "anon_thp",
    "cache",
    "dirty",
    "file",
    "file_dirty",
    "file_mapped",
    "file_thp",
    "file_writeback",
    "inactive_anon",
    "inactive_file",
    "kernel",
    "kernel_stack",
    "mapped_file",
    "pagetables",
    "percpu",
    "rss",
    "rss_huge",
    "sec_pagetables",
    "shmem",
    "shmem_thp",
    "slab",
    "slab_reclaimable",
    "sock",
    "swap",
    "swapcached",
    "unevictable",
    "vmalloc",
    "writeback",
    "zswap",
    "zswapped",
    "slab_unreclaimable",
});

CatalogEntry LookupCgroupStat(std::string_view name) {
  if (name.starts_with("total_")) name.remove_prefix(6);
  if (HasName(kCgroupBytes, name)) return Level("bytes");
  if (name.starts_with("hierarchical_")) return Level("bytes");
  const bool pages = name.starts_with("pgscan") || name.starts_with("pgsteal") ||
                     name.starts_with("pswp") || name.starts_with("workingset_refault");
  return Total(pages ? "pages" : "");
}

}  // namespace

CatalogEntry LookupDiskstats(std::string_view name) {
  if (name.starts_with("in_flight.")) return Level("");
  const std::string_view field = name.substr(0, name.find('.'));
  if (field.ends_with("_sectors")) return Total("sectors");
  return Total(field.ends_with("_ticks") || field == "time_in_queue" ? "ms" : "");
}

CatalogEntry LookupInterrupts(std::string_view) { return Total(""); }

CatalogEntry LookupZoneinfo(std::string_view name) {
  return Level(name.find(".pages.") == std::string_view::npos ? "" : "pages");
}

CatalogEntry LookupSchedstat(std::string_view name) {
  return Total(name == "timeslices" ? "" : "ns");
}

CatalogEntry LookupSwaps(std::string_view) { return Level("KiB"); }

CatalogEntry LookupZram(std::string_view name) {
  const std::string_view field = LastPart(name);
  if (field == "orig_data_size" || field == "compr_data_size" || field == "mem_used_total" ||
      field == "mem_limit" || field == "mem_used_max") {
    return Level("bytes");
  }
  if (field == "same_pages" || field == "huge_pages") return Level("pages");
  return Total(field == "pages_compacted" || field == "huge_pages_since" ? "pages" : "");
}

CatalogEntry LookupZswap(std::string_view name) {
  if (name == "pool_total_size") return Level("bytes");
  if (name == "stored_pages" || name == "stored_incompressible_pages") return Level("pages");
  return Total(name == "written_back_pages" ? "pages" : "");
}

CatalogEntry LookupCgroup(std::string_view name) {
  constexpr std::string_view kStat = "memory.stat.";
  constexpr std::string_view kPressure = "memory.pressure.";
  constexpr std::string_view kSwapEvents = "memory.swap.events.";
  if (name.starts_with(kStat)) return LookupCgroupStat(name.substr(kStat.size()));
  if (name.starts_with(kPressure)) {
    return name.ends_with(".total") ? Total("us") : Explaining("%", MetricKind::kRatio);
  }
  if (name.starts_with("memory.events.") || name.starts_with(kSwapEvents) ||
      name == "memory.failcnt" || name == "memory.memsw.failcnt") {
    return Total("");
  }
  CatalogEntry entry = Level("bytes");
  if (name == "memory.peak" || name == "memory.max_usage") entry.reduction = Reduction::kMax;
  return entry;
}

CatalogEntry LookupAgent(std::string_view name) {
  CatalogEntry entry = Level(name == "sample_lateness" ? "us" : "");
  entry.reduction = Reduction::kMax;
  if (name == "samples_missed") {
    entry.kind = MetricKind::kDelta;
    entry.reduction = Reduction::kSum;
  }
  return entry;
}

CatalogEntry LookupPerfLock(std::string_view name) {
  CatalogEntry entry = Level(name.ends_with("wait") ? "us/s" : "1/s");
  entry.better = Better::kLower;
  return entry;
}

}  // namespace regressd::model
