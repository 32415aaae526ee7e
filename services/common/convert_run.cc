#include <fmt/format.h>
#include <algorithm>

#include <utility>

#include "services/common/convert.h"
#include "services/common/enum_table.h"
#include "services/common/field_checks.h"

namespace regressd::common {
namespace {

constexpr std::size_t kMaxTestboxBytes = 255;
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxTextBytes = 65536;
constexpr int kMaxEntries = 1000;
// Of a whole spec or outcome: a run that is read back must fit the 4 MiB that clients receive.
constexpr std::size_t kMaxMessageBytes = 1 << 20;

using ProtoMap = google::protobuf::Map<std::string, std::string>;
using ProtoTexts = google::protobuf::RepeatedPtrField<std::string>;

constexpr EnumTable<model::RunState, v1::RunState, 4> kStates{{
    {model::RunState::kOpen, v1::RUN_STATE_OPEN},
    {model::RunState::kComplete, v1::RUN_STATE_COMPLETE},
    {model::RunState::kFailed, v1::RUN_STATE_FAILED},
    {model::RunState::kIncomplete, v1::RUN_STATE_INCOMPLETE},
}};

std::map<std::string, std::string> ReadMap(std::string_view field, const ProtoMap& map,
                                           FieldChecks* checks) {
  checks->Count(field, static_cast<int>(map.size()), kMaxEntries);
  for (const auto& [key, value] : map) {
    checks->Name(fmt::format("{} (a key)", field), key, kMaxLineBytes);
    checks->Text(fmt::format("{}[\"{}\"]", field, key), value, kMaxTextBytes);
  }
  return {map.begin(), map.end()};
}

std::vector<std::string> ReadTexts(std::string_view field, const ProtoTexts& texts,
                                   FieldChecks* checks) {
  checks->Count(field, texts.size(), kMaxEntries);
  for (int i = 0; i < texts.size() && checks->ok(); ++i) {
    checks->Text(IndexPath(field, i), texts[i], kMaxTextBytes);
  }
  return {texts.begin(), texts.end()};
}

std::string ReadLine(std::string_view field, const std::string& text, std::size_t max_bytes,
                     FieldChecks* checks) {
  checks->Line(field, text, max_bytes);
  return text;
}

void ReadTime(std::string_view field, bool is_set, const google::protobuf::Timestamp& proto,
              FieldChecks* checks, model::Time* out) {
  if (!is_set) {
    checks->Fail(field, "is not set; set it");
    return;
  }
  const auto time = FromProto(proto, checks->PathOf(field));
  checks->Merge(field, time.status());
  if (time.ok()) *out = *time;
}

void CheckSize(const google::protobuf::Message& message, FieldChecks* checks) {
  const std::size_t size = message.ByteSizeLong();
  if (size > kMaxMessageBytes) {
    checks->Fail("", fmt::format("has {} bytes; at most {} are taken: send less text", size,
                                 kMaxMessageBytes));
  }
}

void ReadAxes(const v1::RunSpec& spec, FieldChecks* checks, model::RunSpec* result) {
  // The derived axis is checked with the others: what is taken here must be readable ever after.
  auto sent = spec.axes();
  const bool has_group = std::any_of(
      sent.begin(), sent.end(), [](const v1::Axis& axis) { return axis.key() == "tbox_group"; });
  if (!has_group && spec.facts().testbox().empty()) {
    checks->Fail("axes", "lack tbox_group and facts.testbox is empty; set one of them");
  } else if (!has_group) {
    v1::Axis* group = sent.Add();
    group->set_key("tbox_group");
    group->set_value(model::TboxGroup(spec.facts().testbox()));
  }
  auto axes = FromProto(sent, checks->PathOf("axes"));
  checks->Merge("axes", axes.status());
  if (!axes.ok()) return;
  result->axes = *std::move(axes);
  if (result->axes.Find("testcase").value_or("").empty()) {
    checks->Fail("axes", "lack testcase; add it first");
  }
}

}  // namespace

v1::RunState ToProto(model::RunState state) { return ProtoOf(kStates, state); }

absl::StatusOr<model::RunState> FromProto(v1::RunState state, std::string_view path) {
  FieldChecks checks("");
  model::RunState result{};
  if (!ModelOf(kStates, state, path, &checks, &result)) return checks.status();
  return result;
}

void ToProto(const model::MachineFacts& facts, v1::MachineFacts* out) {
  out->set_testbox(facts.testbox);
  out->set_boot_id(facts.boot_id);
  out->set_kernel_release(facts.kernel_release);
  out->set_kernel_version(facts.kernel_version);
  out->set_kernel_cmdline(facts.kernel_cmdline);
  out->set_cpu_model(facts.cpu_model);
  out->set_socket_count(facts.socket_count);
  out->set_cpu_count(facts.cpu_count);
  out->set_memory_size_bytes(facts.memory_size_bytes);
  out->set_microcode(facts.microcode);
  out->mutable_swap_devices()->Add(facts.swap_devices.begin(), facts.swap_devices.end());
  out->mutable_tool_versions()->insert(facts.tool_versions.begin(), facts.tool_versions.end());
  out->mutable_settings()->insert(facts.settings.begin(), facts.settings.end());
}

absl::StatusOr<model::MachineFacts> FromProto(const v1::MachineFacts& facts,
                                              std::string_view path) {
  FieldChecks checks(path);
  model::MachineFacts result;
  result.testbox = ReadLine("testbox", facts.testbox(), kMaxTestboxBytes, &checks);
  result.boot_id = ReadLine("boot_id", facts.boot_id(), kMaxLineBytes, &checks);
  result.kernel_release =
      ReadLine("kernel_release", facts.kernel_release(), kMaxLineBytes, &checks);
  result.kernel_version =
      ReadLine("kernel_version", facts.kernel_version(), kMaxLineBytes, &checks);
  checks.Text("kernel_cmdline", facts.kernel_cmdline(), kMaxTextBytes);
  result.kernel_cmdline = facts.kernel_cmdline();
  result.cpu_model = ReadLine("cpu_model", facts.cpu_model(), kMaxLineBytes, &checks);
  result.microcode = ReadLine("microcode", facts.microcode(), kMaxLineBytes, &checks);
  checks.Range("socket_count", facts.socket_count(), 0, 1 << 20);
  checks.Range("cpu_count", facts.cpu_count(), 0, 1 << 20);
  if (facts.memory_size_bytes() < 0) checks.Fail("memory_size_bytes", "is negative; 0 is unknown");
  result.socket_count = facts.socket_count();
  result.cpu_count = facts.cpu_count();
  result.memory_size_bytes = facts.memory_size_bytes();
  result.swap_devices = ReadTexts("swap_devices", facts.swap_devices(), &checks);
  result.tool_versions = ReadMap("tool_versions", facts.tool_versions(), &checks);
  result.settings = ReadMap("settings", facts.settings(), &checks);
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::RunSpec& spec, v1::RunSpec* out) {
  out->set_run_uuid(spec.key.uuid);
  ToProto(spec.axes, out->mutable_axes());
  ToProto(spec.commit, out->mutable_commit());
  ToProto(spec.facts, out->mutable_facts());
  ToProto(spec.start_time, out->mutable_start_time());
  out->mutable_command()->Add(spec.command.begin(), spec.command.end());
  out->set_job_toml(spec.job_toml);
  out->set_agent_version(spec.agent_version);
  out->mutable_monitor_notes()->insert(spec.monitor_notes.begin(), spec.monitor_notes.end());
}

absl::StatusOr<model::RunSpec> FromProto(const v1::RunSpec& spec, std::string_view path) {
  FieldChecks checks(path);
  CheckSize(spec, &checks);
  model::RunSpec result;
  if (auto key = model::ParseRunUuid(spec.run_uuid())) {
    result.key = *std::move(key);
  } else {
    checks.Fail("run_uuid",
                "is no UUID that names a run; draw a random one: 8-4-4-4-12 hex digits");
  }
  ReadAxes(spec, &checks, &result);
  auto commit = FromProto(spec.commit(), checks.PathOf("commit"));
  checks.Merge("commit", commit.status());
  if (commit.ok()) result.commit = *std::move(commit);
  auto facts = FromProto(spec.facts(), checks.PathOf("facts"));
  checks.Merge("facts", facts.status());
  if (facts.ok()) result.facts = *std::move(facts);
  ReadTime("start_time", spec.has_start_time(), spec.start_time(), &checks, &result.start_time);
  result.command = ReadTexts("command", spec.command(), &checks);
  checks.Text("job_toml", spec.job_toml(), kMaxMessageBytes);
  result.job_toml = spec.job_toml();
  result.agent_version = ReadLine("agent_version", spec.agent_version(), kMaxLineBytes, &checks);
  result.monitor_notes = ReadMap("monitor_notes", spec.monitor_notes(), &checks);
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::RunOutcome& outcome, v1::RunOutcome* out) {
  ToProto(outcome.end_time, out->mutable_end_time());
  out->set_exit_status(outcome.exit_status);
  out->set_term_signal(outcome.term_signal);
  out->mutable_last_output_lines()->Add(outcome.last_output_lines.begin(),
                                        outcome.last_output_lines.end());
  out->mutable_monitor_notes()->insert(outcome.monitor_notes.begin(), outcome.monitor_notes.end());
  out->set_failure(outcome.failure);
}

absl::StatusOr<model::RunOutcome> FromProto(const v1::RunOutcome& outcome, std::string_view path) {
  FieldChecks checks(path);
  CheckSize(outcome, &checks);
  model::RunOutcome result;
  ReadTime("end_time", outcome.has_end_time(), outcome.end_time(), &checks, &result.end_time);
  checks.Range("exit_status", outcome.exit_status(), -1, 255);
  checks.Range("term_signal", outcome.term_signal(), 0, 127);
  result.exit_status = outcome.exit_status();
  result.term_signal = outcome.term_signal();
  result.last_output_lines = ReadTexts("last_output_lines", outcome.last_output_lines(), &checks);
  result.monitor_notes = ReadMap("monitor_notes", outcome.monitor_notes(), &checks);
  checks.Text("failure", outcome.failure(), kMaxTextBytes);
  result.failure = outcome.failure();
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::SourceInfo& info, v1::SourceInfo* out) {
  out->set_source_id(info.source_id);
  out->set_name(info.name);
  out->set_last_seq(info.last_seq);
  out->set_metric_count(info.metric_count);
  out->set_gap_count(info.gap_count);
}

void ToProto(const model::Run& run, v1::Run* out) {
  ToProto(run.spec, out->mutable_spec());
  out->set_state(ToProto(run.state));
  if (run.outcome) ToProto(*run.outcome, out->mutable_outcome());
  ToProto(run.create_time, out->mutable_create_time());
  out->set_created_by(run.created_by);
  out->set_exclude_reason(run.exclude_reason);
  out->set_excluded_by(run.excluded_by);
  for (const model::SourceInfo& info : run.sources) ToProto(info, out->add_sources());
}

absl::StatusOr<model::Run> FromProto(const v1::Run& run, std::string_view path) {
  FieldChecks checks(path);
  model::Run result;
  auto spec = FromProto(run.spec(), checks.PathOf("spec"));
  checks.Merge("spec", spec.status());
  if (spec.ok()) result.spec = *std::move(spec);
  ModelOf(kStates, run.state(), "state", &checks, &result.state);
  if (run.has_outcome()) {
    auto outcome = FromProto(run.outcome(), checks.PathOf("outcome"));
    checks.Merge("outcome", outcome.status());
    if (outcome.ok()) result.outcome = *std::move(outcome);
  }
  ReadTime("create_time", run.has_create_time(), run.create_time(), &checks, &result.create_time);
  result.created_by = run.created_by();
  result.exclude_reason = run.exclude_reason();
  result.excluded_by = run.excluded_by();
  for (const v1::SourceInfo& info : run.sources()) {
    model::SourceInfo& added = result.sources.emplace_back();
    added.source_id = info.source_id();
    added.name = info.name();
    added.last_seq = info.last_seq();
    added.metric_count = info.metric_count();
    added.gap_count = info.gap_count();
  }
  if (!checks.ok()) return checks.status();
  return result;
}

}  // namespace regressd::common
