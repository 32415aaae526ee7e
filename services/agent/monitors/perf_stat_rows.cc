#include "services/agent/monitors/perf_stat_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

namespace regressd::agent {
namespace {

// Counts with a unit (msec, Joules) are printed with two decimals.
constexpr double kUnitScale = 0.01;
// perf prints shares with two decimals.
constexpr double kShareScale = 0.01;
// 2^63: what a stored integer stays below.
constexpr double kTooLarge = 9223372036854775808.0;

}  // namespace

PerfStatRows::PerfStatRows(std::int64_t period_us)
    : table_({.source_id = kPerfStatSource,
              .name = "perf-stat",
              .content = model::SourceContent::kIntSamples,
              .metrics = {},
              .period_us = period_us}) {}

std::optional<PerfStatRows::Interval> PerfStatRows::Take(const parse::PerfStatRow& row) {
  if (row.summary || !row.time_s) return std::nullopt;
  std::optional<Interval> finished;
  if (time_s_ && *time_s_ != *row.time_s) finished = Finish();
  if (!time_s_) {
    table_.BeginRow();
    time_s_ = row.time_s;
    row_count_ = 0;
  }
  ++row_count_;
  if (row.value && row.status == parse::PerfCount::kCounted) {
    const double scale = row.unit.empty() ? 1 : kUnitScale;
    std::string name = "perf-stat.i." + row.event;
    if (!row.cgroup.empty()) name += "." + row.cgroup;
    if (row.aggregate) name += "." + row.aggregate->id;
    Set(name, *row.value, scale);
    if (row.multiplexed()) multiplexed_.insert(name);
    if (row.percent_running && multiplexed_.contains(name)) {
      Set(name + ".running%", *row.percent_running, kShareScale);
    }
  }
  return finished;
}

std::optional<PerfStatRows::Interval> PerfStatRows::TakeIfComplete(std::size_t event_count) {
  if (!time_s_ || row_count_ < event_count) return std::nullopt;
  return Finish();
}

void PerfStatRows::Set(const std::string& name, double value, double scale) {
  if (const double steps = value / scale; steps >= 0 && steps < kTooLarge) {
    table_.Set(name, std::llround(steps), scale);
    return;
  }
  if (fault_count_++ == 0) first_fault_ = fmt::format("{} of {}", value, name);
}

std::string PerfStatRows::Faults() const {
  if (fault_count_ == 0) return "";
  const std::string more =
      fault_count_ == 1 ? "" : fmt::format(" (and {} more values)", fault_count_ - 1);
  return fmt::format("left out {}{}: not between 0 and 2^63", first_fault_, more);
}

std::optional<PerfStatRows::Interval> PerfStatRows::Finish() {
  Interval interval{.time_s = *time_s_, .row = table_.TakeRow({})};
  time_s_.reset();
  return interval;
}

}  // namespace regressd::agent
