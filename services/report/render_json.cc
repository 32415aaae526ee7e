#include "services/report/render_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "services/report/time_text.h"

namespace regressd::report {
namespace {

using nlohmann::ordered_json;

std::string Big(std::int64_t number) { return std::to_string(number); }

void PutText(std::string_view key, std::string_view text, ordered_json* out) {
  if (!text.empty()) (*out)[std::string(key)] = text;
}

void PutNumber(std::string_view key, std::optional<double> number, ordered_json* out) {
  if (number && std::isfinite(*number)) (*out)[std::string(key)] = *number;
}

template <typename List>
void PutList(std::string_view key, const List& list, ordered_json* out) {
  if (!list.empty()) (*out)[std::string(key)] = list;
}

ordered_json ToJson(const model::Axes& axes) {
  ordered_json out = ordered_json::object();
  for (const model::Axis& axis : axes.list()) out[axis.key] = axis.value;
  return out;
}

ordered_json ToJson(const model::Patch& patch) {
  ordered_json out = {{"message_id", patch.message_id},
                      {"base_commit", patch.base_commit_id},
                      {"number", patch.number},
                      {"total", patch.total},
                      {"series_version", patch.series_version}};
  PutText("subject", patch.subject, &out);
  PutText("author", patch.author, &out);
  return out;
}

ordered_json ToJson(const model::Commit& commit) {
  ordered_json out = {{"commit", commit.commit_id}};
  PutText("describe", commit.describe, &out);
  PutText("subject", commit.subject, &out);
  PutText("author", commit.author, &out);
  if (commit.author_time) out["author_time"] = Rfc3339(*commit.author_time);
  PutList("parents", commit.parent_ids, &out);
  PutList("branches", commit.branches, &out);
  PutList("trailers", commit.trailers, &out);
  if (commit.patch) out["patch"] = ToJson(*commit.patch);
  return out;
}

ordered_json ToJson(const model::MachineFacts& facts) {
  ordered_json out = ordered_json::object();
  PutText("testbox", facts.testbox, &out);
  PutText("boot_id", facts.boot_id, &out);
  PutText("kernel_release", facts.kernel_release, &out);
  PutText("kernel_version", facts.kernel_version, &out);
  PutText("kernel_cmdline", facts.kernel_cmdline, &out);
  PutText("cpu_model", facts.cpu_model, &out);
  if (facts.socket_count > 0) out["socket_count"] = facts.socket_count;
  if (facts.cpu_count > 0) out["cpu_count"] = facts.cpu_count;
  if (facts.memory_size_bytes > 0) out["memory_size_bytes"] = Big(facts.memory_size_bytes);
  PutText("microcode", facts.microcode, &out);
  PutList("swap_devices", facts.swap_devices, &out);
  PutList("tool_versions", facts.tool_versions, &out);
  PutList("settings", facts.settings, &out);
  return out;
}

ordered_json ToJson(const model::Metric& metric) {
  ordered_json out = {{"metric", metric.name}};
  PutText("unit", metric.unit, &out);
  out["kind"] = ToString(metric.kind);
  out["better"] = ToString(metric.better);
  out["reduction"] = ToString(metric.reduction);
  return out;
}

ordered_json ToJson(const model::Summary& summary) {
  ordered_json out = {{"run_count", summary.run_count}};
  if (summary.run_count > 0) PutNumber("mean", summary.mean, &out);
  if (summary.run_count > 1) PutNumber("sample_stddev", summary.sample_stddev, &out);
  return out;
}

ordered_json ToJson(const model::Judgement& judgement) {
  ordered_json out = {{"verdict", ToString(judgement.verdict)}};
  PutText("reason", judgement.reason, &out);
  PutText("rule", judgement.rule, &out);
  out["base"] = ToJson(judgement.base);
  out["head"] = ToJson(judgement.head);
  if (judgement.base.run_count > 0 && judgement.head.run_count > 0) {
    PutNumber("absolute_change", judgement.absolute_change, &out);
  }
  PutNumber("relative_change", judgement.relative_change, &out);
  PutNumber("t_statistic", judgement.t_statistic, &out);
  PutNumber("degrees_of_freedom", judgement.degrees_of_freedom, &out);
  PutNumber("p_value", judgement.p_value, &out);
  PutNumber("q_value", judgement.q_value, &out);
  PutNumber("rank_p_value", judgement.rank_p_value, &out);
  PutNumber("shift", judgement.shift, &out);
  PutNumber("max_q_value", judgement.max_q_value, &out);
  PutNumber("min_relative_change", judgement.min_relative_change, &out);
  PutNumber("min_absolute_change", judgement.min_absolute_change, &out);
  out["family_size"] = judgement.family_size;
  return out;
}

ordered_json ToJson(const model::Column& column) {
  ordered_json out = ToJson(column.commit);
  if (!column.compared_axes.empty()) out["axes"] = ToJson(column.compared_axes);
  ordered_json runs = ordered_json::array();
  for (const model::RunKey& run : column.runs) runs.push_back(run.uuid);
  out["runs"] = std::move(runs);
  out["failed_run_count"] = column.failed_run_count;
  out["excluded_run_count"] = column.excluded_run_count;
  out["machine"] = ToJson(column.facts);
  PutList("setup_differences", column.setup_differences, &out);
  for (const model::StartLoad& start : column.busy_starts) {
    out["busy_starts"].push_back(
        {{"run", start.run_uuid}, {"load", start.load}, {"cpu_count", start.cpu_count}});
  }
  for (const model::LeftOut& left_out : column.left_out) {
    out["left_out"].push_back({{"name", left_out.name}, {"reason", left_out.reason}});
  }
  return out;
}

ordered_json ToJson(const model::Cell& cell) {
  ordered_json values = ordered_json::array();
  ordered_json run_index = ordered_json::array();
  for (std::size_t i = 0; i < cell.values.size(); ++i) {
    if (!std::isfinite(cell.values[i])) continue;
    values.push_back(cell.values[i]);
    if (i < cell.run_index.size()) run_index.push_back(cell.run_index[i]);
  }
  ordered_json out = {{"values", std::move(values)}, {"run_index", std::move(run_index)}};
  if (cell.judgement) out["judgement"] = ToJson(*cell.judgement);
  return out;
}

ordered_json ToJson(const model::ComparisonBlock& block) {
  ordered_json out = {{"axes", ToJson(block.axes)}, {"compared_axes", block.compared_axes}};
  out["columns"] = ordered_json::array();
  for (const model::Column& column : block.columns) out["columns"].push_back(ToJson(column));
  out["rows"] = ordered_json::array();
  for (const model::Row& row : block.rows) {
    ordered_json entry = ToJson(row.metric);
    entry["cells"] = ordered_json::array();
    for (const model::Cell& cell : row.cells) entry["cells"].push_back(ToJson(cell));
    out["rows"].push_back(std::move(entry));
  }
  return out;
}

ordered_json ToJson(const model::RunOutcome& outcome) {
  ordered_json out = {{"end_time", Rfc3339(outcome.end_time)},
                      {"exit_status", outcome.exit_status}};
  if (outcome.term_signal != 0) out["term_signal"] = outcome.term_signal;
  PutText("failure", outcome.failure, &out);
  PutList("last_output_lines", outcome.last_output_lines, &out);
  PutList("monitor_notes", outcome.monitor_notes, &out);
  return out;
}

ordered_json ToJson(const model::SourceInfo& source) {
  return {{"source_id", source.source_id},       {"name", source.name},
          {"content", ToString(source.content)}, {"last_seq", Big(source.last_seq)},
          {"metric_count", source.metric_count}, {"gap_count", Big(source.gap_count)}};
}

ordered_json ToJson(const model::Run& run) {
  ordered_json out = {{"run", run.spec.key.uuid}, {"state", ToString(run.state)}};
  out["axes"] = ToJson(run.spec.axes);
  out["tested"] = ToJson(run.spec.commit);
  out["machine"] = ToJson(run.spec.facts);
  out["start_time"] = Rfc3339(run.spec.start_time);
  PutList("command", run.spec.command, &out);
  PutText("job_toml", run.spec.job_toml, &out);
  PutText("agent_version", run.spec.agent_version, &out);
  PutList("monitor_notes", run.spec.monitor_notes, &out);
  if (run.outcome) out["outcome"] = ToJson(*run.outcome);
  out["create_time"] = Rfc3339(run.create_time);
  PutText("created_by", run.created_by, &out);
  PutText("exclude_reason", run.exclude_reason, &out);
  PutText("excluded_by", run.excluded_by, &out);
  out["sources"] = ordered_json::array();
  for (const model::SourceInfo& source : run.sources) out["sources"].push_back(ToJson(source));
  return out;
}

ordered_json ToJson(const model::Regression& regression) {
  ordered_json out = {{"regression_id", Big(regression.regression_id)},
                      {"state", ToString(regression.state)},
                      {"muted", regression.muted},
                      {"title", regression.title}};
  out["axes"] = ToJson(regression.axes);
  out["base"] = ToJson(regression.base);
  out["head"] = ToJson(regression.head);
  out["headline_metric"] = regression.headline_metric;
  out["metrics"] = ordered_json::array();
  for (const model::RegressionMetric& metric : regression.metrics) {
    ordered_json entry = ToJson(metric.metric);
    entry["judgement"] = ToJson(metric.judgement);
    out["metrics"].push_back(std::move(entry));
  }
  out["machine"] = ToJson(regression.facts);
  out["create_time"] = Rfc3339(regression.create_time);
  out["update_time"] = Rfc3339(regression.update_time);
  PutText("created_by", regression.created_by, &out);
  out["version"] = Big(regression.version);
  return out;
}

constexpr int kOneLine = -1;

std::string Dump(const ordered_json& document, int indent) {
  // Names come from outside: bytes that are not UTF-8 become U+FFFD instead of an exception.
  return document.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

template <typename Item>
std::string ListDocument(std::string_view schema, std::string_view key,
                         std::span<const Item> items) {
  ordered_json list = ordered_json::array();
  for (const Item& item : items) list.push_back(ToJson(item));
  ordered_json document = {{"schema", schema}};
  document[std::string(key)] = std::move(list);
  return Dump(document, 2);
}

}  // namespace

std::string RenderComparisonJson(std::span<const model::ComparisonBlock> blocks) {
  return ListDocument("regressd.comparison/1", "blocks", blocks);
}

std::string RenderRunsJson(std::span<const model::Run> runs) {
  return ListDocument("regressd.runs/1", "runs", runs);
}

std::string RenderRegressionsJson(std::span<const model::Regression> regressions) {
  return ListDocument("regressd.regressions/1", "regressions", regressions);
}

std::string RenderRegressionEventJson(const model::RegressionEvent& event,
                                      const model::Regression& regression) {
  ordered_json entry = {{"event_id", Big(event.event_id)},
                        {"regression_id", Big(event.regression_id)},
                        {"state", ToString(event.state)},
                        {"event_time", Rfc3339(event.event_time)}};
  PutText("created_by", event.created_by, &entry);
  PutText("comment", event.comment, &entry);
  return Dump({{"schema", "regressd.regression_event/1"},
               {"event", std::move(entry)},
               {"regression", ToJson(regression)}},
              kOneLine);
}

}  // namespace regressd::report
