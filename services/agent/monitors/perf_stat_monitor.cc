#include "services/agent/monitors/perf_stat_monitor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace regressd::agent {
namespace {

// perf refuses shorter intervals.
constexpr std::chrono::milliseconds kMinInterval{10};
// The last interval is cut short by the end; a count of less than this share of one would pull the
// mean down.
constexpr double kMinIntervalShare = 0.9;

}  // namespace

PerfStatMonitor::PerfStatMonitor(MonitorSettings settings) : ToolMonitor(std::move(settings)) {}

PerfStatMonitor::~PerfStatMonitor() { Stop(); }

absl::Status PerfStatMonitor::Probe() {
  absl::StatusOr<PerfEvents> events = ProbePerfEvents(settings().perf_events);
  if (!events.ok()) return events.status();
  events_ = *std::move(events);
  return absl::OkStatus();
}

std::vector<std::string> PerfStatMonitor::Command() const {
  // Without a command perf runs until it is told to stop; without -o it would print to stderr.
  return {"perf",
          "stat",
          "-a",
          "-I",
          fmt::format("{}", std::max(settings().interval, kMinInterval).count()),
          "-x,",
          "--log-fd",
          "1",
          "-e",
          fmt::format("{}", fmt::join(events_.events, ","))};
}

void PerfStatMonitor::Begin() {
  reader_ = std::make_unique<parse::PerfStatReader>(',');
  if (!rows_) {
    rows_ = std::make_unique<PerfStatRows>(
        std::chrono::microseconds(std::max(settings().interval, kMinInterval)).count());
  }
  start_time_.reset();
  last_time_s_ = 0;
}

void PerfStatMonitor::TakeLine(std::string_view line, model::Time arrival) {
  const parse::PerfStatRow* row = reader_->Feed(line);
  for (const parse::Problem& problem : reader_->TakeProblems()) {
    sink().AddNote(name(), problem.message);
  }
  if (row == nullptr || !row->time_s) return;
  // perf's clock begins when its counters do, which it does not say; its first row tells.
  if (!start_time_) {
    start_time_ = arrival - std::chrono::round<std::chrono::microseconds>(
                                std::chrono::duration<double>(*row->time_s));
  }
  Emit(rows_->Take(*row));
  Emit(rows_->TakeIfComplete(events_.events.size()));
}

void PerfStatMonitor::Emit(const std::optional<PerfStatRows::Interval>& interval) {
  if (!interval) return;
  const double length_s = interval->time_s - std::exchange(last_time_s_, interval->time_s);
  const std::chrono::duration<double> nominal = std::max(settings().interval, kMinInterval);
  if (length_s < kMinIntervalShare * nominal.count()) return;
  Row row = interval->row;
  row.time = *start_time_ + std::chrono::round<std::chrono::microseconds>(
                                std::chrono::duration<double>(interval->time_s));
  if (rows_->table().TakeGrown()) sink().Declare(rows_->table().source());
  sink().AddRow(kPerfStatSource, std::move(row));
}

void PerfStatMonitor::End(bool /*stopped*/) {
  if (start_time_) Emit(rows_->TakeIfComplete(0));
}

}  // namespace regressd::agent
