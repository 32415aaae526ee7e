#include "services/agent/monitors/vmstat_tool_monitor.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "services/parse/proc_key_value.h"

namespace regressd::agent {
namespace {

// vmstat prints whole seconds.
constexpr std::chrono::milliseconds kLateArrival{1500};

}  // namespace

VmstatToolMonitor::VmstatToolMonitor(MonitorSettings settings)
    : ToolMonitor(std::move(settings)), meminfo_("/proc/meminfo") {}

VmstatToolMonitor::~VmstatToolMonitor() { Stop(); }

std::chrono::seconds VmstatToolMonitor::Interval() const {
  return std::max(std::chrono::ceil<std::chrono::seconds>(settings().interval),
                  std::chrono::seconds(1));
}

absl::Status VmstatToolMonitor::Probe() {
  const absl::StatusOr<CapturedOutput> output =
      Capture({"vmstat", "--version"}, std::chrono::seconds(5));
  if (output.ok() && output->exit.exit_status == 0) return absl::OkStatus();
  if (output.ok()) {
    return absl::UnavailableError(
        fmt::format("vmstat --version ended with {}", output->exit.Describe()));
  }
  if (absl::IsNotFound(output.status())) {
    return absl::NotFoundError("no vmstat in PATH; install procps");
  }
  return output.status();
}

std::string VmstatToolMonitor::restrictions() const {
  if (!meminfo_.valid()) return "vmstat.memory.* left out: /proc/meminfo cannot be read";
  return "vmstat.memory.* are taken from /proc/meminfo";
}

std::vector<std::string> VmstatToolMonitor::Command() const {
  return {"vmstat", "-n", "-t", fmt::format("{}", Interval().count())};
}

std::chrono::milliseconds VmstatToolMonitor::Patience() const {
  return 5 * Interval() + std::chrono::milliseconds(5000);
}

void VmstatToolMonitor::Begin() {
  reader_ = std::make_unique<parse::VmstatReader>();
  if (table_) return;
  table_ = std::make_unique<ColumnTable>(
      model::Source{.source_id = kVmstatSource,
                    .name = "vmstat-tool",
                    .content = model::SourceContent::kIntSamples,
                    .metrics = {},
                    .period_us = std::chrono::microseconds(Interval()).count()});
}

void VmstatToolMonitor::ReadMemory() {
  memory_kib_.clear();
  const std::optional<std::string_view> text = meminfo_.Read();
  if (!text) return;
  std::int64_t free = 0, buffers = 0, cached = 0, reclaimable = 0, swap_total = 0, swap_free = 0;
  std::int64_t inactive = 0, active = 0;
  const std::pair<std::string_view, std::int64_t*> wanted[] = {
      {"MemFree", &free},         {"Buffers", &buffers},
      {"Cached", &cached},        {"SReclaimable", &reclaimable},
      {"SwapTotal", &swap_total}, {"SwapFree", &swap_free},
      {"Inactive", &inactive},    {"Active", &active}};
  for (const parse::MeminfoValue& value : parse::ParseMeminfo(*text).values) {
    for (const auto& [name, target] : wanted) {
      if (value.name == name) *target = static_cast<std::int64_t>(value.value);
    }
  }
  // As vmstat itself computes them (procps, vmstat(8)): cache includes reclaimable slab.
  memory_kib_ = {{"swpd", swap_total - swap_free}, {"free", free},      {"buff", buffers},
                 {"cache", cached + reclaimable},  {"inact", inactive}, {"active", active}};
}

void VmstatToolMonitor::TakeLine(std::string_view line, model::Time arrival) {
  const parse::VmstatSample* sample = reader_->Feed(line);
  for (const parse::Problem& problem : reader_->TakeProblems()) {
    sink().AddNote(name(), problem.message);
  }
  if (sample == nullptr || sample->since_boot) return;
  const parse::VmstatLayout& layout = reader_->layouts()[static_cast<std::size_t>(sample->layout)];
  ReadMemory();
  table_->BeginRow();
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const parse::VmstatColumn& column = layout.columns[i];
    if (!column.metric.starts_with("vmstat.memory.")) {
      table_->Set(column.metric, sample->values[i], column.scale);
      continue;
    }
    for (const auto& [memory_name, kib] : memory_kib_) {
      if (memory_name == column.name) table_->Set(column.metric, kib);
    }
  }
  if (table_->TakeGrown()) sink().Declare(table_->source());
  // vmstat prints its row and the second it belongs to at one moment; the arrival says the same
  // more finely, unless this process was held up.
  model::Time time = arrival;
  if (sample->time) {
    // vmstat reads the wall clock, which may have been set since the run began.
    const model::Time printed = *sample->time - settings().clock.WallAhead();
    if (arrival < printed || arrival - printed > kLateArrival) time = printed;
  }
  time = std::max(time, last_time_ + std::chrono::microseconds(1));
  last_time_ = time;
  sink().AddRow(kVmstatSource, table_->TakeRow(time));
}

void VmstatToolMonitor::End(bool /*stopped*/) {}

}  // namespace regressd::agent
