#include "services/agent/monitors/perf_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "services/agent/child_process.h"
#include "services/agent/clean_text.h"
#include "services/parse/perf_stat.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

constexpr std::chrono::seconds kPatience{10};

const std::vector<std::string>& SoftwareEvents() {
  static const std::vector<std::string> events = {
      "task-clock",  "cpu-clock",    "context-switches", "cpu-migrations",
      "page-faults", "minor-faults", "major-faults"};
  return events;
}

const std::vector<std::string>& HardwareEvents() {
  static const std::vector<std::string> events = {
      "cycles",           "instructions", "branches",        "branch-misses",
      "cache-references", "cache-misses", "dTLB-load-misses"};
  return events;
}

/// Rare ones only: a tracepoint on each page or object allocation would slow down what is measured.
const std::vector<std::string>& Tracepoints() {
  static const std::vector<std::string> events = {
      "vmscan:mm_vmscan_kswapd_wake",         "vmscan:mm_vmscan_direct_reclaim_begin",
      "vmscan:mm_vmscan_memcg_reclaim_begin", "vmscan:mm_vmscan_lru_shrink_inactive",
      "vmscan:mm_vmscan_lru_shrink_active",   "vmscan:mm_vmscan_write_folio",
      "vmscan:mm_vmscan_throttled",           "vmscan:mm_shrink_slab_start",
      "compaction:mm_compaction_begin",       "migrate:mm_migrate_pages",
      "kmem:mm_page_alloc_extfrag",           "writeback:writeback_start",
      "writeback:balance_dirty_pages",        "oom:mark_victim"};
  return events;
}

bool HasTracepoint(const std::filesystem::path& tracefs, const std::string& event) {
  std::string relative = event;
  std::replace(relative.begin(), relative.end(), ':', '/');
  std::ifstream id(tracefs / "events" / relative / "id");
  int number = 0;
  return static_cast<bool>(id >> number);
}

void AppendText(const std::string& what, std::string* text) {
  if (!text->empty()) *text += "; ";
  *text += what;
}

/// One short count of `events`. The text of perf when it could not.
absl::StatusOr<parse::PerfStatText> TryCount(const std::vector<std::string>& events,
                                             std::string* complaint) {
  const absl::StatusOr<CapturedOutput> output = Capture(
      {"perf", "stat", "-a", "-x,", "-e", fmt::format("{}", fmt::join(events, ",")), "--", "true"},
      kPatience);
  if (!output.ok()) return output.status();
  *complaint = output->text;
  if (output->exit.exit_status != 0) return parse::PerfStatText{};
  return parse::ParsePerfStat(output->text);
}

/// Adds those of `events` that count to `found`. All at once when possible, otherwise one by one: a
/// single unknown name makes perf refuse the whole list.
absl::Status AddCounting(const std::vector<std::string>& events, PerfEvents* found,
                         std::vector<std::string>* refused, std::string* complaint) {
  if (events.empty()) return absl::OkStatus();
  const absl::StatusOr<parse::PerfStatText> counts = TryCount(events, complaint);
  if (!counts.ok()) return counts.status();
  if (counts->rows.empty() && events.size() > 1) {
    for (const std::string& event : events) {
      if (absl::Status status = AddCounting({event}, found, refused, complaint); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool counted =
        i < counts->rows.size() && counts->rows[i].status != parse::PerfCount::kNotSupported;
    (counted ? found->events : *refused).push_back(events[i]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PerfRefusal(const std::string& perf_text) {
  if (perf_text.find("paranoid") != std::string::npos ||
      perf_text.find("ermission") != std::string::npos) {
    return absl::PermissionDeniedError(
        "perf may not look at the whole machine; as root, or after: sysctl "
        "kernel.perf_event_paranoid=-1");
  }
  std::string_view rest = perf_text;
  std::string_view line;
  std::string last = "perf said nothing";
  while (parse::NextLine(&rest, &line)) {
    if (!parse::Trim(line).empty()) last = CleanText(parse::Trim(line), 512);
  }
  return absl::UnavailableError(fmt::format("perf: {}", last));
}

absl::StatusOr<PerfEvents> ProbePerfEvents(const std::vector<std::string>& wanted,
                                           const std::filesystem::path& tracefs) {
  PerfEvents found;
  std::vector<std::string> refused;
  std::string complaint;
  absl::Status status =
      AddCounting(wanted.empty() ? SoftwareEvents() : wanted, &found, &refused, &complaint);
  if (absl::IsNotFound(status)) {
    return absl::NotFoundError("no perf in PATH; install linux-perf");
  }
  if (!status.ok()) return status;
  if (found.events.empty()) return PerfRefusal(complaint);
  if (wanted.empty()) {
    std::vector<std::string> tracepoints;
    for (const std::string& event : Tracepoints()) {
      if (HasTracepoint(tracefs, event)) tracepoints.push_back(event);
    }
    if (tracepoints.empty()) {
      AppendText("no tracepoints: " + tracefs.string() + " cannot be read (needs root)",
                 &found.restrictions);
    }
    status = AddCounting(tracepoints, &found, &refused, &complaint);
    if (!status.ok()) return status;
    const std::size_t before = found.events.size();
    std::vector<std::string> no_hardware;
    status = AddCounting(HardwareEvents(), &found, &no_hardware, &complaint);
    if (!status.ok()) return status;
    if (found.events.size() == before) {
      AppendText("no hardware events: this machine shows no PMU", &found.restrictions);
    } else {
      refused.insert(refused.end(), no_hardware.begin(), no_hardware.end());
    }
  }
  if (!refused.empty()) {
    AppendText(fmt::format("not countable here: {}", fmt::join(refused, ", ")),
               &found.restrictions);
  }
  return found;
}

}  // namespace regressd::agent
