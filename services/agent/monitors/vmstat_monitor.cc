#include "services/agent/monitors/vmstat_monitor.h"

#include <unistd.h>

#include <string>
#include <utility>

namespace regressd::agent {

VmstatMonitor::VmstatMonitor(MonitorSettings settings, std::filesystem::path root)
    : PeriodicMonitor(std::move(settings)), root_(std::move(root)) {}

VmstatMonitor::~VmstatMonitor() { Stop(); }

absl::Status VmstatMonitor::Probe() {
  stat_ = ProcFile(root_ / "proc/stat");
  vmstat_ = ProcFile(root_ / "proc/vmstat");
  meminfo_ = ProcFile(root_ / "proc/meminfo");
  if (stat_.valid() && vmstat_.valid() && meminfo_.valid()) return absl::OkStatus();
  return absl::NotFoundError(
      "/proc/stat, /proc/vmstat or /proc/meminfo cannot be read; mount /proc");
}

bool VmstatMonitor::ReadCounts(VmstatCounts* out) {
  const auto stat = stat_.Read();
  const auto vmstat = vmstat_.Read();
  parse::Problems problems;
  if (stat && vmstat) {
    problems = ReadVmstatCounts(*stat, *vmstat, out);
  } else {
    problems = {parse::Error(0, "unreadable", "/proc/stat or /proc/vmstat cannot be read")};
  }
  if (problems.empty()) return true;
  if (!std::exchange(noted_, true)) sink().AddNote(name(), problems.front().message);
  return false;
}

void VmstatMonitor::Begin() {
  table_ = std::make_unique<ColumnTable>(
      model::Source{.source_id = kVmstatSource,
                    .name = "vmstat",
                    .content = model::SourceContent::kIntSamples,
                    .metrics = {},
                    .period_us = std::chrono::microseconds(settings().interval).count()});
  VmstatCounts counts;
  if (ReadCounts(&counts)) last_counts_ = counts;
  last_time_ = Now();
}

void VmstatMonitor::Turn(const Tick& tick) { TakeRow(tick.time); }

void VmstatMonitor::Finish() {
  const model::Time now = Now();
  if (has_row_ && 2 * (now - last_time_) < settings().interval) return;
  if (now > last_time_) TakeRow(now);
}

void VmstatMonitor::TakeRow(model::Time time) {
  VmstatCounts counts;
  const auto meminfo = meminfo_.Read();
  if (!ReadCounts(&counts) || !meminfo) return;
  if (last_counts_ && time > last_time_) {
    table_->BeginRow();
    FillVmstatRates({.before = *last_counts_,
                     .after = counts,
                     .elapsed = time - last_time_,
                     .page_size_bytes = sysconf(_SC_PAGESIZE)},
                    table_.get());
    FillVmstatMemory(*meminfo, table_.get());
    if (table_->TakeGrown()) sink().Declare(table_->source());
    sink().AddRow(kVmstatSource, table_->TakeRow(time));
    has_row_ = true;
  }
  last_counts_ = counts;
  last_time_ = time;
}

}  // namespace regressd::agent
