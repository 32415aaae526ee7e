#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "services/model/catalog.h"

namespace regressd::model {

/// Parts of the catalogue, each for one family of names. Every `name` is what follows the family's
/// prefix: "pswpout" of "proc-vmstat.pswpout".

/// A name of /proc/vmstat, of Linux 4.0 to 6.18.
CatalogEntry LookupProcVmstat(std::string_view name);

/// A name of /proc/meminfo, or one of LKP's two sums.
CatalogEntry LookupMeminfo(std::string_view name);

/// What else a machine's files tell: /proc/diskstats ("read_ios.sda"), interrupts, zoneinfo,
/// schedstat and swaps, zram's and zswap's statistics, the run's memory cgroup
/// ("memory.stat.anon"). They explain a change and never gate.
CatalogEntry LookupDiskstats(std::string_view name);
CatalogEntry LookupInterrupts(std::string_view name);
CatalogEntry LookupZoneinfo(std::string_view name);
CatalogEntry LookupSchedstat(std::string_view name);
CatalogEntry LookupSwaps(std::string_view name);
CatalogEntry LookupZram(std::string_view name);
CatalogEntry LookupZswap(std::string_view name);
CatalogEntry LookupCgroup(std::string_view name);
/// How well the agent itself did: "sample_lateness", "samples_missed".
CatalogEntry LookupAgent(std::string_view name);
/// Lock contention in windows: "contention.lru_lock.total_wait".
CatalogEntry LookupPerfLock(std::string_view name);

/// A full name that belongs to no monitor: a result of a workload, known by its ending.
CatalogEntry LookupWorkload(std::string_view metric_name);

/// A table of names, sorted while compiling.
template <std::size_t kSize>
constexpr std::array<std::string_view, kSize> SortedNames(const std::string_view (&names)[kSize]) {
  auto sorted = std::to_array(names);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

template <std::size_t kSize>
constexpr bool HasName(const std::array<std::string_view, kSize>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

}  // namespace regressd::model
