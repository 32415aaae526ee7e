#include "services/agent/monitors/vmstat_rates.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "services/parse/proc_key_value.h"

namespace regressd::agent {
namespace {

// The tool prints whole numbers only because its columns are narrow.
constexpr double kDecimals = 0.01;

std::uint64_t Increase(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

void SetDecimal(const char* name, double value, ColumnTable* table) {
  table->Set(name, std::llround(value / kDecimals), kDecimals);
}

}  // namespace

parse::Problems ReadVmstatCounts(std::string_view stat, std::string_view vmstat,
                                 VmstatCounts* out) {
  *out = {};
  const std::pair<std::string_view, std::uint64_t*> wanted[] = {
      {"pgpgin", &out->pages_in_kib},
      {"pgpgout", &out->pages_out_kib},
      {"pswpin", &out->swapped_in_pages},
      {"pswpout", &out->swapped_out_pages}};
  parse::ReadNameNumbers(vmstat, [&](std::string_view name, std::uint64_t value) {
    if (!name.starts_with('p')) return;
    for (const auto& [known, target] : wanted) {
      if (name == known) *target = value;
    }
  });
  return parse::ReadCpuStat(stat, &out->stat);
}

parse::Problems FillVmstatMemory(std::string_view text, ColumnTable* table) {
  std::int64_t free = 0, buffers = 0, cached = 0, reclaimable = 0, swap_total = 0, swap_free = 0;
  const std::pair<std::string_view, std::int64_t*> wanted[] = {
      {"MemFree", &free},         {"Buffers", &buffers},
      {"Cached", &cached},        {"SReclaimable", &reclaimable},
      {"SwapTotal", &swap_total}, {"SwapFree", &swap_free}};
  parse::Meminfo meminfo = parse::ParseMeminfo(text);
  for (const parse::MeminfoValue& value : meminfo.values) {
    for (const auto& [name, target] : wanted) {
      if (value.name == name) *target = static_cast<std::int64_t>(value.value);
    }
  }
  table->Set("vmstat.memory.swpd", swap_total - swap_free);
  table->Set("vmstat.memory.free", free);
  table->Set("vmstat.memory.buff", buffers);
  table->Set("vmstat.memory.cache", cached + reclaimable);
  return std::move(meminfo.problems);
}

void FillVmstatRates(const VmstatInterval& interval, ColumnTable* table) {
  const parse::CpuStat& before = interval.before.stat;
  const parse::CpuStat& after = interval.after.stat;
  table->Set("vmstat.procs.r",
             static_cast<std::int64_t>(std::max<std::uint64_t>(after.procs_running, 1) - 1));
  table->Set("vmstat.procs.b", static_cast<std::int64_t>(after.procs_blocked));

  const double seconds = std::chrono::duration<double>(interval.elapsed).count();
  const auto set_rate = [&](const char* name, std::uint64_t from, std::uint64_t to, double unit) {
    SetDecimal(name, static_cast<double>(Increase(from, to)) * unit / seconds, table);
  };
  const double page_kib = static_cast<double>(interval.page_size_bytes) / 1024;
  const VmstatCounts& first = interval.before;
  const VmstatCounts& last = interval.after;
  set_rate("vmstat.swap.si", first.swapped_in_pages, last.swapped_in_pages, page_kib);
  set_rate("vmstat.swap.so", first.swapped_out_pages, last.swapped_out_pages, page_kib);
  set_rate("vmstat.io.bi", first.pages_in_kib, last.pages_in_kib, 1);
  set_rate("vmstat.io.bo", first.pages_out_kib, last.pages_out_kib, 1);
  set_rate("vmstat.system.in", before.interrupts, after.interrupts, 1);
  set_rate("vmstat.system.cs", before.context_switches, after.context_switches, 1);

  // A guest's time is contained in user and nice.
  const std::uint64_t guest =
      Increase(before.guest, after.guest) + Increase(before.guest_nice, after.guest_nice);
  const std::uint64_t user = Increase(before.user, after.user) + Increase(before.nice, after.nice);
  const std::pair<const char*, std::uint64_t> shares[] = {
      {"vmstat.cpu.us", Increase(guest, user)},
      {"vmstat.cpu.sy", Increase(before.system, after.system) + Increase(before.irq, after.irq) +
                            Increase(before.softirq, after.softirq)},
      {"vmstat.cpu.id", Increase(before.idle, after.idle)},
      {"vmstat.cpu.wa", Increase(before.iowait, after.iowait)},
      {"vmstat.cpu.st", Increase(before.steal, after.steal)},
      {"vmstat.cpu.gu", guest}};
  std::uint64_t all = 0;
  for (const auto& [name, ticks] : shares) all += ticks;
  for (const auto& [name, ticks] : shares) {
    if (all > 0) {
      SetDecimal(name, 100 * static_cast<double>(ticks) / static_cast<double>(all), table);
    }
  }
}

}  // namespace regressd::agent
