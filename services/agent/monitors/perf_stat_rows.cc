#include "services/agent/monitors/perf_stat_rows.h"

#include <cmath>
#include <string>
#include <utility>

namespace regressd::agent {
namespace {

// Counts with a unit (msec, Joules) are printed with two decimals.
constexpr double kUnitScale = 0.01;
// perf prints shares with two decimals.
constexpr double kShareScale = 0.01;

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
    table_.Set(name, std::llround(*row.value / scale), scale);
    if (row.multiplexed()) multiplexed_.insert(name);
    if (row.percent_running && multiplexed_.contains(name)) {
      table_.Set(name + ".running%", std::llround(*row.percent_running / kShareScale), kShareScale);
    }
  }
  return finished;
}

std::optional<PerfStatRows::Interval> PerfStatRows::TakeIfComplete(std::size_t event_count) {
  if (!time_s_ || row_count_ < event_count) return std::nullopt;
  return Finish();
}

std::optional<PerfStatRows::Interval> PerfStatRows::Finish() {
  Interval interval{.time_s = *time_s_, .row = table_.TakeRow({})};
  time_s_.reset();
  return interval;
}

}  // namespace regressd::agent
