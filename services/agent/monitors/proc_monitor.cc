#include "services/agent/monitors/proc_monitor.h"

#include <utility>

namespace regressd::agent {
namespace {

// A file that is damaged anew at each interval must not fill the run's notes.
constexpr std::size_t kMaxNotedProblems = 20;

}  // namespace

ProcMonitor::ProcMonitor(MonitorSettings settings, std::filesystem::path root)
    : PeriodicMonitor(std::move(settings)), root_(std::move(root)) {}

ProcMonitor::~ProcMonitor() { Stop(); }

absl::Status ProcMonitor::Probe() {
  reader_ = std::make_unique<ProcReader>(root_, settings().cgroup_directory);
  if (reader_->any()) return absl::OkStatus();
  return absl::NotFoundError("neither /proc/vmstat nor /proc/meminfo can be read; mount /proc");
}

std::string ProcMonitor::restrictions() const { return reader_ ? reader_->missing_text() : ""; }

void ProcMonitor::Begin() {
  table_ = std::make_unique<ColumnTable>(
      model::Source{.source_id = kProcSource,
                    .name = "proc",
                    .content = model::SourceContent::kIntSamples,
                    .metrics = {},
                    .period_us = std::chrono::microseconds(settings().interval).count()});
  TakeRow(Now(), nullptr);
}

void ProcMonitor::Turn(const Tick& tick) { TakeRow(tick.time, &tick); }

void ProcMonitor::Finish() { TakeRow(Now(), nullptr); }

void ProcMonitor::TakeRow(model::Time time, const Tick* tick) {
  table_->BeginRow();
  for (const std::string& problem : reader_->Fill(table_.get())) {
    if (noted_problems_.size() < kMaxNotedProblems && noted_problems_.insert(problem).second) {
      sink().AddNote(name(), problem);
    }
  }
  if (tick != nullptr) {
    table_->Set("agent.sample_lateness", tick->lateness.count());
    table_->Set("agent.samples_missed", tick->missed_count);
  }
  if (table_->TakeGrown()) sink().Declare(table_->source());
  sink().AddRow(kProcSource, table_->TakeRow(time));
}

}  // namespace regressd::agent
