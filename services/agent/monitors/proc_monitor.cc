#include "services/agent/monitors/proc_monitor.h"

#include <fmt/format.h>

#include <utility>

#include "services/agent/ticker.h"

namespace regressd::agent {

ProcMonitor::ProcMonitor(MonitorSettings settings, std::filesystem::path root)
    : settings_(std::move(settings)), root_(std::move(root)) {}

ProcMonitor::~ProcMonitor() { Stop(); }

absl::Status ProcMonitor::Probe() {
  reader_ = std::make_unique<ProcReader>(root_);
  if (reader_->any()) return absl::OkStatus();
  return absl::NotFoundError("neither /proc/vmstat nor /proc/meminfo can be read; mount /proc");
}

std::string ProcMonitor::restrictions() const { return reader_ ? reader_->missing_text() : ""; }

void ProcMonitor::Start(SampleSink& sink) {
  sink_ = &sink;
  table_ = std::make_unique<ColumnTable>(
      model::Source{.source_id = kProcSource,
                    .name = "proc",
                    .content = model::SourceContent::kIntSamples,
                    .metrics = {},
                    .period_us = std::chrono::microseconds(settings_.interval).count()});
  TakeRow(WallNow());
  thread_ = std::jthread([this] { Run(); });
}

void ProcMonitor::Run() {
  Ticker ticker(settings_.interval);
  std::int64_t missed = 0;
  std::chrono::microseconds worst{0};
  while (const std::optional<Tick> tick = ticker.Wait(stop_)) {
    missed += tick->missed_count;
    worst = std::max(worst, tick->lateness);
    TakeRow(tick->time);
  }
  TakeRow(WallNow());
  if (missed > 0) {
    sink_->AddNote(name(), fmt::format("{} turns missed; latest turn {} ms late", missed,
                                       worst.count() / 1000));
  }
}

void ProcMonitor::TakeRow(model::Time time) {
  table_->BeginRow();
  for (const std::string& problem : reader_->Fill(table_.get())) sink_->AddNote(name(), problem);
  if (table_->TakeGrown()) sink_->Declare(table_->source());
  sink_->AddRow(kProcSource, table_->TakeRow(time));
}

void ProcMonitor::RequestStop() { stop_.Set(); }

void ProcMonitor::Stop() {
  stop_.Set();
  if (thread_.joinable()) thread_.join();
}

}  // namespace regressd::agent
