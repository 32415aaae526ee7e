#include "services/model/catalog_tables.h"

namespace regressd::model {
namespace {

// A workload's result and how its name tells it. The first rule that fits is taken.
struct NameRule {
  enum class Fit { kWhole, kEnd, kInside };

  Fit fit;
  std::string_view text;
  Better better;
  std::string_view unit;
};

using Fit = NameRule::Fit;

constexpr NameRule kRules[] = {
    // What a workload says of itself beside its result.
    {Fit::kInside, ".stddev", Better::kNeither, ""},
    {Fit::kInside, "_stddev", Better::kNeither, ""},
    {Fit::kEnd, ".workload", Better::kNeither, ""},
    {Fit::kEnd, ".free_time", Better::kNeither, "s"},
    {Fit::kEnd, ".processes", Better::kNeither, ""},
    {Fit::kEnd, ".threads", Better::kNeither, ""},
    // Whole names, whose endings alone would say too little.
    {Fit::kWhole, "vm-scalability.median", Better::kHigher, "KB/s"},
    {Fit::kWhole, "vm-scalability.throughput", Better::kHigher, "KB/s"},
    {Fit::kWhole, "swapin.median", Better::kHigher, "KB/s"},
    {Fit::kWhole, "swapin.throughput", Better::kHigher, "KB/s"},
    {Fit::kWhole, "sparsetruncate.Time", Better::kLower, "us"},
    // Latencies first: "throughput_latency_ms" is one.
    {Fit::kEnd, "latency_us", Better::kLower, "us"},
    {Fit::kEnd, "latency_ms", Better::kLower, "ms"},
    {Fit::kEnd, "latency_ns", Better::kLower, "ns"},
    {Fit::kInside, "latency", Better::kLower, ""},
    {Fit::kInside, "throughput", Better::kHigher, ""},
    {Fit::kInside, "bandwidth", Better::kHigher, ""},
    // Rates.
    {Fit::kEnd, "_ops", Better::kHigher, ""},
    {Fit::kEnd, "ops_per_sec", Better::kHigher, "1/s"},
    {Fit::kEnd, "_per_sec", Better::kHigher, "1/s"},
    {Fit::kEnd, "_per_second", Better::kHigher, "1/s"},
    {Fit::kEnd, "_per_sec_per_cpu", Better::kHigher, "1/s"},
    {Fit::kEnd, "/s", Better::kHigher, ""},
    {Fit::kEnd, "/sec", Better::kHigher, ""},
    {Fit::kEnd, "iops", Better::kHigher, "1/s"},
    {Fit::kEnd, ".tps", Better::kHigher, "1/s"},
    {Fit::kEnd, "_KBps", Better::kHigher, "KB/s"},
    {Fit::kEnd, "_MBps", Better::kHigher, "MB/s"},
    {Fit::kEnd, "_mbps", Better::kHigher, "MB/s"},
    {Fit::kEnd, ".scalability", Better::kHigher, ""},
    {Fit::kEnd, "score", Better::kHigher, ""},
    // Durations.
    {Fit::kEnd, "_per_iteration", Better::kLower, "s"},
    {Fit::kEnd, "_us", Better::kLower, "us"},
    {Fit::kEnd, "_usec", Better::kLower, "us"},
    {Fit::kEnd, ".us", Better::kLower, "us"},
    {Fit::kEnd, "_ms", Better::kLower, "ms"},
    {Fit::kEnd, "_msec", Better::kLower, "ms"},
    {Fit::kEnd, ".ms", Better::kLower, "ms"},
    {Fit::kEnd, "_ns", Better::kLower, "ns"},
    {Fit::kEnd, "_nsec", Better::kLower, "ns"},
    {Fit::kEnd, ".ns", Better::kLower, "ns"},
    {Fit::kEnd, "_seconds", Better::kLower, "s"},
    {Fit::kEnd, ".seconds", Better::kLower, "s"},
    {Fit::kEnd, "duration", Better::kLower, ""},
    {Fit::kEnd, "elapsed", Better::kLower, "s"},
    {Fit::kEnd, "elapsed_time", Better::kLower, "s"},
};

bool Fits(const NameRule& rule, std::string_view name) {
  switch (rule.fit) {
    case Fit::kWhole:
      return name == rule.text;
    case Fit::kEnd:
      return name.ends_with(rule.text);
    case Fit::kInside:
      return name.find(rule.text) != std::string_view::npos;
  }
  return false;
}

// "kernbench.elsp-8", "usemem.syst-4": GNU time of one job count (mmtests.md 1).
bool IsJobTime(std::string_view name) {
  if (!name.starts_with("kernbench.") && !name.starts_with("usemem.")) return false;
  const std::string_view operation = name.substr(name.find('.') + 1);
  return operation.starts_with("elsp-") || operation.starts_with("syst-") ||
         operation.starts_with("user-");
}

// "wis-pf.page_fault1-processes-8": operations a second of so many tasks, as mmtests names them.
bool IsTaskRate(std::string_view name) {
  const auto digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size()) return false;
  const std::string_view operation = name.substr(0, digits + 1);
  return operation.ends_with("-processes-") || operation.ends_with("-threads-");
}

CatalogEntry Result(Better better, std::string_view unit) {
  return {.known = true,
          .unit = unit,
          .kind = MetricKind::kGauge,
          .better = better,
          .reduction = Reduction::kMean,
          .headline = better != Better::kNeither,
          .min_relative_change = better == Better::kNeither ? 0.02 : 0.01};
}

// GNU time of the workload or of the whole job. A number of one run, so nothing is to be summed;
// thresholds after lkp.md 4.4.
CatalogEntry TimeEntry(std::string_view name) {
  CatalogEntry entry{.known = true, .kind = MetricKind::kGauge, .reduction = Reduction::kMean};
  const auto with = [&entry](std::string_view unit, double min_level) {
    entry.unit = unit;
    entry.min_level = min_level;
    entry.min_absolute_change = min_level / 2;
    return entry;
  };
  if (name == "elapsed_time" || name == "elapsed_time.max" || name == "system_time" ||
      name == "user_time") {
    return with("s", 10);
  }
  if (name == "minor_page_faults" || name == "major_page_faults" || name == "swaps" ||
      name == "voluntary_context_switches" || name == "involuntary_context_switches") {
    return with("", 1000);
  }
  if (name == "file_system_inputs" || name == "file_system_outputs" ||
      name == "socket_messages_received" || name == "socket_messages_sent") {
    return with("", 10000);
  }
  if (name == "percent_of_cpu_this_job_got") return with("%", 0);
  if (name == "maximum_resident_set_size") return with("KiB", 1000);
  if (name == "average_resident_set_size" || name == "page_size" || name == "exit_status") {
    return entry;
  }
  entry.known = false;
  return entry;
}

}  // namespace

CatalogEntry LookupWorkload(std::string_view metric_name) {
  constexpr std::string_view kTime = ".time.";
  if (metric_name.starts_with(kTime.substr(1))) {
    return TimeEntry(metric_name.substr(kTime.size() - 1));
  }
  if (const auto time = metric_name.find(kTime); time != std::string_view::npos) {
    return TimeEntry(metric_name.substr(time + kTime.size()));
  }
  if (metric_name.find('.') == std::string_view::npos) return {};
  if (IsJobTime(metric_name)) return Result(Better::kLower, "s");
  if (IsTaskRate(metric_name)) return Result(Better::kHigher, "1/s");
  for (const NameRule& rule : kRules) {
    if (Fits(rule, metric_name)) return Result(rule.better, rule.unit);
  }
  return {};
}

}  // namespace regressd::model
