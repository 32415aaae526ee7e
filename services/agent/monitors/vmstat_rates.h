#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "services/agent/monitors/proc_files.h"
#include "services/parse/problem.h"
#include "services/parse/proc_tables.h"

namespace regressd::agent {

/// The running totals that the tool vmstat makes its columns of.
struct VmstatCounts {
  parse::CpuStat stat;
  std::uint64_t pages_in_kib = 0;  ///< pgpgin and pgpgout are in KiB.
  std::uint64_t pages_out_kib = 0;
  std::uint64_t swapped_in_pages = 0;
  std::uint64_t swapped_out_pages = 0;
};

/// Reads /proc/stat and /proc/vmstat. Counts that the kernel lacks stay 0.
parse::Problems ReadVmstatCounts(std::string_view stat, std::string_view vmstat, VmstatCounts* out);

/// Sets vmstat.memory.* from /proc/meminfo as the tool computes them (vmstat(8)): cache includes
/// reclaimable slab.
parse::Problems FillVmstatMemory(std::string_view meminfo, ColumnTable* table);

/// Two readings of one machine.
struct VmstatInterval {
  const VmstatCounts& before;
  const VmstatCounts& after;
  std::chrono::microseconds elapsed;
  std::int64_t page_size_bytes = 4096;
};
/// Sets the other columns of the tool's default layout, rates and shares with decimals. A total
/// that fell counts as not moved. procs.r is without the one task that read /proc/stat, as the tool
/// is without itself.
void FillVmstatRates(const VmstatInterval& interval, ColumnTable* table);

}  // namespace regressd::agent
