#include "services/agent/monitors/perf_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include "services/agent/child_process.h"
#include "services/agent/clean_text.h"
#include "services/agent/monitors/perf_event_sets.h"
#include "services/parse/perf_stat.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

constexpr std::chrono::seconds kPatience{10};

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
                                             bool whole_machine, std::string* complaint) {
  std::vector<std::string> command = {"perf", "stat", "-x,", "-e",
                                      fmt::format("{}", fmt::join(events, ","))};
  if (whole_machine) command.emplace_back("-a");
  command.insert(command.end(), {"--", "true"});
  const absl::StatusOr<CapturedOutput> output = Capture(std::move(command), kPatience);
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
  const absl::StatusOr<parse::PerfStatText> counts =
      TryCount(events, found->whole_machine, complaint);
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

void NoteRefused(const std::vector<std::string>& refused, PerfEvents* found) {
  if (refused.empty()) return;
  AppendText(fmt::format("not countable here: {}", fmt::join(refused, ", ")), &found->restrictions);
}

/// What a plain user may count: events of the command itself. `refusal` when not even that.
absl::StatusOr<PerfEvents> ProbeCommandEvents(const std::vector<std::string>& wanted,
                                              const absl::Status& refusal) {
  PerfEvents found;
  found.whole_machine = false;
  std::vector<std::string> refused;
  std::string complaint;
  const absl::Status status =
      AddCounting(wanted.empty() ? CommandEvents() : wanted, &found, &refused, &complaint);
  if (!status.ok()) return status;
  if (found.events.empty()) return refusal;
  AppendText(
      "only the command and what it starts, in user space: perf may not look at the whole machine; "
      "as root, or after: sysctl kernel.perf_event_paranoid=-1",
      &found.restrictions);
  NoteRefused(refused, &found);
  return found;
}

absl::Status AddTracepoints(std::string_view testcase, const std::filesystem::path& tracefs,
                            PerfEvents* found, std::vector<std::string>* refused) {
  std::vector<std::string> tracepoints;
  for (const std::string& event : TracepointsFor(testcase)) {
    if (HasTracepoint(tracefs, event)) tracepoints.push_back(event);
  }
  if (tracepoints.empty()) {
    AppendText("no tracepoints: " + tracefs.string() + " cannot be read (needs root)",
               &found->restrictions);
  }
  std::string complaint;
  return AddCounting(tracepoints, found, refused, &complaint);
}

absl::Status AddHardware(PerfEvents* found, std::vector<std::string>* refused) {
  const std::size_t before = found->events.size();
  std::vector<std::string> no_hardware;
  std::string complaint;
  const absl::Status status = AddCounting(HardwareEvents(), found, &no_hardware, &complaint);
  if (!status.ok()) return status;
  if (found->events.size() == before) {
    AppendText("no hardware events: this machine shows no PMU", &found->restrictions);
  } else {
    refused->insert(refused->end(), no_hardware.begin(), no_hardware.end());
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
                                           std::string_view testcase,
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
  if (found.events.empty()) {
    const absl::Status refusal = PerfRefusal(complaint);
    return absl::IsPermissionDenied(refusal) ? ProbeCommandEvents(wanted, refusal) : refusal;
  }
  if (wanted.empty()) {
    status = AddTracepoints(testcase, tracefs, &found, &refused);
    if (status.ok()) status = AddHardware(&found, &refused);
    if (!status.ok()) return status;
  }
  NoteRefused(refused, &found);
  return found;
}

}  // namespace regressd::agent
