#include "services/model/catalog.h"

#include <array>

#include "services/model/catalog_tables.h"

namespace regressd::model {
namespace {

struct NamedEntry {
  std::string_view name;
  CatalogEntry entry;
};

constexpr CatalogEntry Gauge(std::string_view unit, double min_level) {
  return {.known = true,
          .unit = unit,
          .kind = MetricKind::kGauge,
          .min_absolute_change = min_level / 2,
          .min_level = min_level};
}

constexpr CatalogEntry Share(double min_level) {
  CatalogEntry entry = Gauge("%", min_level);
  entry.kind = MetricKind::kRatio;
  return entry;
}

// vmstat prints rates and levels of one interval: their mean is the run's.
constexpr std::array kVmstat = std::to_array<NamedEntry>({
    {"procs.r", Gauge("", 0)},
    {"procs.b", Gauge("", 0)},
    {"memory.swpd", Gauge("KiB", 1000)},
    {"memory.free", Gauge("KiB", 1000)},
    {"memory.buff", Gauge("KiB", 1000)},
    {"memory.cache", Gauge("KiB", 1000)},
    {"memory.inact", Gauge("KiB", 1000)},
    {"memory.active", Gauge("KiB", 1000)},
    {"swap.si", Gauge("KiB/s", 0)},
    {"swap.so", Gauge("KiB/s", 0)},
    {"io.bi", Gauge("KiB/s", 100)},
    {"io.bo", Gauge("KiB/s", 100)},
    {"system.in", Gauge("1/s", 100)},
    {"system.cs", Gauge("1/s", 100)},
    {"cpu.us", Share(10)},
    {"cpu.sy", Share(10)},
    {"cpu.id", Share(10)},
    {"cpu.wa", Share(10)},
    {"cpu.st", Share(10)},
    {"cpu.gu", Share(10)},
});

CatalogEntry LookupVmstat(std::string_view name) {
  for (const auto& [known, entry] : kVmstat) {
    if (known == name) return entry;
  }
  return {};
}

// "memory.some.total" of /proc/pressure/memory.
CatalogEntry LookupPressure(std::string_view name) {
  CatalogEntry entry = Share(1);
  const auto dot = name.find('.');
  const std::string_view resource = name.substr(0, dot);
  entry.known = resource == "memory" || resource == "io" || resource == "cpu" || resource == "irq";
  const std::string_view line = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  if (line == "some.total" || line == "full.total") {
    entry.unit = "us";
    entry.kind = MetricKind::kCounter;
    entry.reduction = Reduction::kDelta;
    entry.min_relative_change = 0.05;
    entry.min_absolute_change = 50'000;
    entry.min_level = 100'000;
    // Stalls on memory are what swapping costs. Those on CPU and disks also tell of what else runs
    // on the machine, and the averages only repeat the totals.
    if (resource == "memory") entry.better = Better::kLower;
    return entry;
  }
  constexpr std::string_view kAverages[] = {"some.avg10", "some.avg60", "some.avg300",
                                            "full.avg10", "full.avg60", "full.avg300"};
  for (const std::string_view average : kAverages) {
    if (line == average) return entry;
  }
  entry.known = false;
  return entry;
}

bool IsRatioName(std::string_view name) {
  return name.ends_with('%') || name.ends_with("-rate") || name.ends_with(".ipc") ||
         name.ends_with(".cpi") || name.ends_with(".MPKI");
}

// "i.<event>": counts of one interval; "ps.": a second's; "total.": the run's; "overall.": ratios.
CatalogEntry LookupPerfStat(std::string_view name) {
  CatalogEntry entry{.known = true, .kind = MetricKind::kGauge, .min_relative_change = 0.05};
  if (name.ends_with(".running%")) {
    // How much of the time the event beside it was counted: it qualifies, and is no result.
    entry.known = false;
    entry.unit = "%";
    entry.kind = MetricKind::kRatio;
  } else if (name.starts_with("overall.") || IsRatioName(name)) {
    entry.unit = name.ends_with('%') ? "%" : "";
    entry.kind = MetricKind::kRatio;
  } else if (name.starts_with("i.")) {
    entry.kind = MetricKind::kDelta;
    if (name == "i.cpu-clock" || name == "i.task-clock") entry.unit = "ms";
  } else if (name.starts_with("total.")) {
    entry.kind = MetricKind::kDelta;
    entry.reduction = Reduction::kSum;
  } else {
    entry.known = name.starts_with("ps.");
  }
  return entry;
}

// Shares of samples. They change by percentage points, whatever the base is.
CatalogEntry LookupPerfProfile(std::string_view) {
  return {.known = true,
          .unit = "%",
          .kind = MetricKind::kRatio,
          .min_relative_change = 0,
          .min_absolute_change = 0.5,
          .min_level = 1};
}

// What went wrong in a run, as counts: LKP's functional metrics.
CatalogEntry LookupFailure(std::string_view) {
  return {.known = true, .kind = MetricKind::kDelta, .reduction = Reduction::kSum};
}

// "node0.nr_dirty": the same name for each node.
std::string_view WithoutNode(std::string_view name) {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

CatalogEntry LookupNumaVmstat(std::string_view name) { return LookupProcVmstat(WithoutNode(name)); }
CatalogEntry LookupNumaMeminfo(std::string_view name) { return LookupMeminfo(WithoutNode(name)); }

// Monitors whose names this catalogue does not list.
CatalogEntry LookupNothing(std::string_view) { return {}; }

struct Family {
  std::string_view prefix;
  CatalogEntry (*lookup)(std::string_view name);
};

constexpr Family kFamilies[] = {
    {"vmstat.", LookupVmstat},
    {"proc-vmstat.", LookupProcVmstat},
    {"numa-vmstat.", LookupNumaVmstat},
    {"meminfo.", LookupMeminfo},
    {"numa-meminfo.", LookupNumaMeminfo},
    {"pressure.", LookupPressure},
    {"perf-lock.", LookupPerfLock},
    {"perf-stat.", LookupPerfStat},
    {"perf-profile.", LookupPerfProfile},
    {"dmesg.", LookupFailure},
    {"kmsg.", LookupFailure},
    {"last_state.", LookupFailure},
    {"stderr.", LookupFailure},
    {"boot-", LookupNothing},
    {"buddyinfo.", LookupNothing},
    {"cpuidle.", LookupNothing},
    {"agent.", LookupAgent},
    {"cgroup.", LookupCgroup},
    {"diskstats.", LookupDiskstats},
    {"ftrace.", LookupNothing},
    {"interrupts.", LookupInterrupts},
    {"iostat.", LookupNothing},
    {"lock_stat.", LookupNothing},
    {"mpstat.", LookupNothing},
    {"numa-numastat.", LookupNothing},
    {"sched_debug.", LookupNothing},
    {"schedstat.", LookupSchedstat},
    {"slabinfo.", LookupNothing},
    {"softirqs.", LookupNothing},
    {"swaps.", LookupSwaps},
    {"turbostat.", LookupNothing},
    {"uptime.", LookupNothing},
    {"zoneinfo.", LookupZoneinfo},
    {"zram.", LookupZram},
    {"zswap.", LookupZswap},
};

}  // namespace

CatalogEntry Lookup(std::string_view metric_name) {
  for (const Family& family : kFamilies) {
    if (metric_name.starts_with(family.prefix)) {
      return family.lookup(metric_name.substr(family.prefix.size()));
    }
  }
  return LookupWorkload(metric_name);
}

Metric Declare(std::string_view metric_name) {
  const CatalogEntry entry = Lookup(metric_name);
  return {.name = std::string(metric_name),
          .unit = std::string(entry.unit),
          .kind = entry.kind,
          .better = entry.better,
          .reduction = entry.reduction};
}

}  // namespace regressd::model
