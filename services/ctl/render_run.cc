#include "services/ctl/render_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "services/ctl/output.h"
#include "services/report/render_table.h"
#include "services/report/shell_text.h"
#include "services/report/text.h"
#include "services/report/time_text.h"

namespace regressd::ctl {
namespace {

// What is shown of a state: an excluded run takes part in nothing, whatever its state is.
std::string StateText(const model::Run& run) {
  return run.exclude_reason.empty() ? std::string(ToString(run.state))
                                    : fmt::format("{}, excluded", ToString(run.state));
}

// Lines "label: value", without those that have no value.
class Facts {
 public:
  void Add(std::string_view label, std::string_view value) {
    if (value.empty()) return;
    fmt::format_to(std::back_inserter(text_), "{:<15} {}\n", fmt::format("{}:", label),
                   report::OneLine(value));
  }
  void Add(std::string_view label, std::int64_t value) {
    if (value != 0) Add(label, std::to_string(value));
  }
  template <typename Map>
  void AddMap(std::string_view label, const Map& map) {
    for (const auto& [key, value] : map) Add(label, fmt::format("{}: {}", key, value));
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddMachine(const model::MachineFacts& facts, Facts* out) {
  constexpr double kGibibyte = 1 << 30;
  out->Add("testbox", facts.testbox);
  out->Add("kernel", report::Joined({facts.kernel_release, facts.kernel_version}, " "));
  out->Add("command line", facts.kernel_cmdline);
  out->Add("cpu", facts.cpu_model);
  out->Add("cpus", facts.cpu_count);
  out->Add("sockets", facts.socket_count);
  out->Add("microcode", facts.microcode);
  if (facts.memory_size_bytes > 0) {
    out->Add("memory",
             fmt::format("{:.1f} GiB", static_cast<double>(facts.memory_size_bytes) / kGibibyte));
  }
  for (const std::string& device : facts.swap_devices) out->Add("swap", device);
  out->AddMap("tool", facts.tool_versions);
  out->AddMap("setting", facts.settings);
  out->Add("boot id", facts.boot_id);
}

void AddOutcome(const model::RunOutcome& outcome, Facts* out) {
  out->Add("ended", report::ReadableTime(outcome.end_time));
  out->Add("exit status", outcome.exit_status);
  out->Add("killed by", outcome.term_signal);
  out->Add("failure", outcome.failure);
  out->AddMap("monitor", outcome.monitor_notes);
  for (const std::string& line : outcome.last_output_lines) out->Add("last output", line);
}

}  // namespace

std::string AxesText(const model::Axes& axes) {
  std::string text;
  for (const model::Axis& axis : axes.list()) {
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : " ",
                   report::OneLine(axis.key), report::OneLine(axis.value));
  }
  return text;
}

std::string RunTable(std::span<const model::Run> runs) {
  if (runs.empty()) return "";
  // As wide as the first time, which all are.
  const std::size_t time_width = report::ReadableTime(runs.front().spec.start_time).size();
  std::string text = fmt::format("{:<36}  {:<10} {:<{}}  {:<12} {:<16} {}\n", "RUN", "STATE",
                                 "STARTED", time_width, "COMMIT", "TESTBOX", "AXES");
  for (const model::Run& run : runs) {
    fmt::format_to(std::back_inserter(text), "{}  {:<10} {}  {:<12} {:<16} {}\n", run.spec.key.uuid,
                   StateText(run), report::ReadableTime(run.spec.start_time),
                   report::OneLine(report::ShortCommit(run.spec.commit)),
                   report::OneLine(run.spec.facts.testbox), AxesText(run.spec.axes));
  }
  return text;
}

std::string RunCsv(std::span<const model::Run> runs) {
  std::string text = "run_uuid,state,excluded,start_time,commit,testbox,axes\n";
  for (const model::Run& run : runs) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", run.spec.key.uuid,
                   ToString(run.state), run.exclude_reason.empty() ? "no" : "yes",
                   report::Rfc3339(run.spec.start_time), CsvField(run.spec.commit.commit_id),
                   CsvField(run.spec.facts.testbox), CsvField(AxesText(run.spec.axes)));
  }
  return text;
}

std::string RunText(const model::Run& run) {
  Facts facts;
  facts.Add("run", run.spec.key.uuid);
  facts.Add("state", StateText(run));
  if (!run.exclude_reason.empty()) {
    facts.Add("excluded", fmt::format("{} (by {})", run.exclude_reason, run.excluded_by));
  }
  facts.Add("commit", report::CommitLine(run.spec.commit, false));
  for (const model::Axis& axis : run.spec.axes.list()) {
    facts.Add("axis", fmt::format("{}={}", axis.key, axis.value));
  }
  facts.Add("started", report::ReadableTime(run.spec.start_time));
  if (run.outcome) AddOutcome(*run.outcome, &facts);
  facts.Add("command", report::ShellLine(run.spec.command));
  facts.Add("agent", run.spec.agent_version);
  facts.Add("sent by", run.created_by);
  AddMachine(run.spec.facts, &facts);
  facts.AddMap("not measured", run.spec.monitor_notes);
  for (const model::SourceInfo& source : run.sources) {
    std::string line = fmt::format("{}: {} metrics, {} numbers", source.name, source.metric_count,
                                   source.last_seq);
    if (source.gap_count > 0) line += fmt::format(", {} of them lost", source.gap_count);
    facts.Add("source", line);
  }
  return facts.Take();
}

std::string ValueTable(std::span<const RunValue> values) {
  std::size_t width = 0;
  for (const RunValue& value : values) width = std::max(width, value.metric.name.size());
  std::string text;
  for (const RunValue& value : values) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:>20} {:<8} {}\n",
                   report::OneLine(value.metric.name), std::min<std::size_t>(width, 60),
                   NumberText(value.value), report::OneLine(value.metric.unit),
                   report::Counted(static_cast<std::size_t>(value.sample_count), "sample"));
  }
  return text;
}

std::string ValueCsv(std::span<const RunValue> values) {
  std::string text = "metric,value,unit,sample_count\n";
  for (const RunValue& value : values) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", CsvField(value.metric.name),
                   NumberText(value.value), CsvField(value.metric.unit), value.sample_count);
  }
  return text;
}

std::string ValueJson(const std::string& run_uuid, std::span<const RunValue> values) {
  nlohmann::ordered_json document = {{"schema", "regressd.run_values/1"},
                                     {"run_uuid", run_uuid},
                                     {"values", nlohmann::ordered_json::array()}};
  for (const RunValue& value : values) {
    document["values"].push_back({{"metric", value.metric.name},
                                  {"value", value.value},
                                  {"unit", value.metric.unit},
                                  {"better", ToString(value.metric.better)},
                                  {"sample_count", std::to_string(value.sample_count)}});
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace regressd::ctl
