#include "services/agent/monitors/perf_stat_monitor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "services/agent/read_file.h"

namespace regressd::agent {
namespace {

// perf refuses shorter intervals.
constexpr std::chrono::milliseconds kMinInterval{10};
// The last interval is cut short by the end; a count of less than this share of one would pull the
// mean down.
constexpr double kMinIntervalShare = 0.9;

/// False for a process that has ended, waited for or not.
bool IsRunning(pid_t pid) {
  const std::string text = ReadFile(fmt::format("/proc/{}/stat", pid)).value_or("");
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

}  // namespace

PerfStatMonitor::PerfStatMonitor(MonitorSettings settings) : ToolMonitor(std::move(settings)) {}

PerfStatMonitor::~PerfStatMonitor() { Stop(); }

absl::Status PerfStatMonitor::Probe() {
  absl::StatusOr<PerfEvents> events = ProbePerfEvents(settings().perf_events, settings().testcase);
  if (!events.ok()) return events.status();
  events_ = *std::move(events);
  return absl::OkStatus();
}

void PerfStatMonitor::Start(SampleSink& sink) {
  if (events_.whole_machine) {
    ToolMonitor::Start(sink);
  } else {
    command_sink_ = &sink;
  }
}

void PerfStatMonitor::CommandStarted(pid_t pid) {
  if (command_sink_ == nullptr) return;
  command_pid_ = pid;
  ToolMonitor::Start(*std::exchange(command_sink_, nullptr));
}

bool PerfStatMonitor::IsOver() const { return !events_.whole_machine && !IsRunning(command_pid_); }

std::vector<std::string> PerfStatMonitor::Command() const {
  // Without a command perf runs until it is told to stop; without a log it would print to stderr.
  std::vector<std::string> command = {
      "perf",
      "stat",
      "-I",
      fmt::format("{}", std::max(settings().interval, kMinInterval).count()),
      "-x,",
      "--log-fd",
      "1",
      "-e",
      fmt::format("{}", fmt::join(events_.events, ","))};
  if (events_.whole_machine) {
    command.emplace_back("-a");
  } else {
    // What the command starts from now on is counted, too.
    command.insert(command.end(), {"-p", fmt::format("{}", command_pid_)});
  }
  return command;
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
  if (rows_ == nullptr) return;
  if (const std::string faults = rows_->Faults(); !faults.empty()) sink().AddNote(name(), faults);
}

}  // namespace regressd::agent
