#include <fmt/format.h>

#include <utility>

#include "services/common/convert.h"
#include "services/common/enum_table.h"
#include "services/common/field_checks.h"

namespace regressd::common {
namespace {

constexpr EnumTable<model::Verdict, v1::Verdict, 6> kVerdicts{{
    {model::Verdict::kRegression, v1::VERDICT_REGRESSION},
    {model::Verdict::kImprovement, v1::VERDICT_IMPROVEMENT},
    {model::Verdict::kChanged, v1::VERDICT_CHANGED},
    {model::Verdict::kMixed, v1::VERDICT_MIXED},
    {model::Verdict::kUnchanged, v1::VERDICT_UNCHANGED},
    {model::Verdict::kInconclusive, v1::VERDICT_INCONCLUSIVE},
}};

void ToProto(const model::Column& column, v1::ComparisonColumn* out) {
  common::ToProto(column.commit, out->mutable_commit());
  common::ToProto(column.compared_axes, out->mutable_axes());
  for (const model::RunKey& run : column.runs) out->add_run_uuids(run.uuid);
  out->set_failed_run_count(column.failed_run_count);
  out->set_excluded_run_count(column.excluded_run_count);
  common::ToProto(column.facts, out->mutable_facts());
  for (const std::string& line : column.setup_differences) out->add_setup_differences(line);
  for (const model::StartLoad& start : column.busy_starts) {
    v1::StartLoad* added = out->add_busy_starts();
    added->set_run_uuid(start.run_uuid);
    added->set_load(start.load);
    added->set_cpu_count(start.cpu_count);
  }
  for (const model::LeftOut& left_out : column.left_out) {
    v1::Unreadable* added = out->add_left_out();
    added->set_name(left_out.name);
    added->set_reason(left_out.reason);
  }
}

absl::StatusOr<model::Column> FromProto(const v1::ComparisonColumn& column, std::string_view path) {
  FieldChecks checks(path);
  model::Column result;
  auto commit = common::FromProto(column.commit(), checks.PathOf("commit"));
  checks.Merge("commit", commit.status());
  if (commit.ok()) result.commit = *std::move(commit);
  auto axes = common::FromProto(column.axes(), checks.PathOf("axes"));
  checks.Merge("axes", axes.status());
  if (axes.ok()) result.compared_axes = *std::move(axes);
  for (int i = 0; i < column.run_uuids_size(); ++i) {
    if (auto key = model::ParseRunUuid(column.run_uuids(i))) {
      result.runs.push_back(*std::move(key));
    } else {
      checks.Fail(IndexPath("run_uuids", i), "is no UUID that names a run");
    }
  }
  result.failed_run_count = column.failed_run_count();
  result.excluded_run_count = column.excluded_run_count();
  auto facts = common::FromProto(column.facts(), checks.PathOf("facts"));
  checks.Merge("facts", facts.status());
  if (facts.ok()) result.facts = *std::move(facts);
  result.setup_differences.assign(column.setup_differences().begin(),
                                  column.setup_differences().end());
  for (const v1::StartLoad& start : column.busy_starts()) {
    result.busy_starts.push_back({start.run_uuid(), start.load(), start.cpu_count()});
  }
  for (const v1::Unreadable& left_out : column.left_out()) {
    result.left_out.push_back({left_out.name(), left_out.reason()});
  }
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::Cell& cell, v1::ComparisonCell* out) {
  out->mutable_values()->Add(cell.values.begin(), cell.values.end());
  out->mutable_run_index()->Add(cell.run_index.begin(), cell.run_index.end());
  if (cell.judgement) common::ToProto(*cell.judgement, out->mutable_judgement());
}

absl::StatusOr<model::Cell> FromProto(const v1::ComparisonCell& cell, std::size_t run_count,
                                      std::string_view path) {
  FieldChecks checks(path);
  if (cell.values_size() != cell.run_index_size()) {
    checks.Fail("run_index", fmt::format("has {} entries for {} values; give one for each",
                                         cell.run_index_size(), cell.values_size()));
  }
  for (int i = 0; i < cell.run_index_size() && checks.ok(); ++i) {
    if (cell.run_index(i) < 0 || static_cast<std::size_t>(cell.run_index(i)) >= run_count) {
      checks.Fail(IndexPath("run_index", i),
                  fmt::format("is {}, but the column has {} runs", cell.run_index(i), run_count));
    }
  }
  model::Cell result;
  result.values.assign(cell.values().begin(), cell.values().end());
  result.run_index.assign(cell.run_index().begin(), cell.run_index().end());
  if (cell.has_judgement()) {
    auto judgement = common::FromProto(cell.judgement(), checks.PathOf("judgement"));
    checks.Merge("judgement", judgement.status());
    if (judgement.ok()) result.judgement = *std::move(judgement);
  }
  if (!checks.ok()) return checks.status();
  return result;
}

absl::StatusOr<model::Row> FromProto(const v1::ComparisonRow& row,
                                     const std::vector<model::Column>& columns,
                                     std::string_view path) {
  FieldChecks checks(path);
  model::Row result;
  auto metric = common::FromProto(row.metric(), checks.PathOf("metric"));
  checks.Merge("metric", metric.status());
  if (metric.ok()) result.metric = *std::move(metric);
  if (static_cast<std::size_t>(row.cells_size()) != columns.size()) {
    checks.Fail("cells", fmt::format("has {} entries for {} columns; give one for each",
                                     row.cells_size(), columns.size()));
  }
  for (int i = 0; i < row.cells_size() && checks.ok(); ++i) {
    const std::string field = IndexPath("cells", i);
    auto cell = FromProto(row.cells(i), columns[static_cast<std::size_t>(i)].runs.size(),
                          checks.PathOf(field));
    checks.Merge(field, cell.status());
    if (cell.ok()) result.cells.push_back(*std::move(cell));
  }
  if (!checks.ok()) return checks.status();
  return result;
}

}  // namespace

v1::Verdict ToProto(model::Verdict verdict) { return ProtoOf(kVerdicts, verdict); }

absl::StatusOr<model::Verdict> FromProto(v1::Verdict verdict, std::string_view path) {
  FieldChecks checks("");
  model::Verdict result{};
  if (!ModelOf(kVerdicts, verdict, path, &checks, &result)) return checks.status();
  return result;
}

void ToProto(const model::Judgement& judgement, v1::Judgement* out) {
  out->set_verdict(ToProto(judgement.verdict));
  out->set_reason(judgement.reason);
  out->set_rule(judgement.rule);
  out->set_base_count(judgement.base.run_count);
  out->set_base_mean(judgement.base.mean);
  out->set_base_sample_stddev(judgement.base.sample_stddev);
  out->set_head_count(judgement.head.run_count);
  out->set_head_mean(judgement.head.mean);
  out->set_head_sample_stddev(judgement.head.sample_stddev);
  out->set_absolute_change(judgement.absolute_change);
  if (judgement.relative_change) out->set_relative_change(*judgement.relative_change);
  if (judgement.t_statistic) out->set_t_statistic(*judgement.t_statistic);
  if (judgement.degrees_of_freedom) out->set_degrees_of_freedom(*judgement.degrees_of_freedom);
  if (judgement.p_value) out->set_p_value(*judgement.p_value);
  if (judgement.q_value) out->set_q_value(*judgement.q_value);
  if (judgement.rank_p_value) out->set_rank_p_value(*judgement.rank_p_value);
  if (judgement.shift) out->set_shift(*judgement.shift);
  out->set_max_q_value(judgement.max_q_value);
  out->set_min_relative_change(judgement.min_relative_change);
  out->set_min_absolute_change(judgement.min_absolute_change);
  out->set_family_size(judgement.family_size);
}

absl::StatusOr<model::Judgement> FromProto(const v1::Judgement& judgement, std::string_view path) {
  FieldChecks checks(path);
  model::Judgement result;
  ModelOf(kVerdicts, judgement.verdict(), "verdict", &checks, &result.verdict);
  if (!checks.ok()) return checks.status();
  result.reason = judgement.reason();
  result.rule = judgement.rule();
  result.base = {judgement.base_count(), judgement.base_mean(), judgement.base_sample_stddev()};
  result.head = {judgement.head_count(), judgement.head_mean(), judgement.head_sample_stddev()};
  result.absolute_change = judgement.absolute_change();
  if (judgement.has_relative_change()) result.relative_change = judgement.relative_change();
  if (judgement.has_t_statistic()) result.t_statistic = judgement.t_statistic();
  if (judgement.has_degrees_of_freedom()) {
    result.degrees_of_freedom = judgement.degrees_of_freedom();
  }
  if (judgement.has_p_value()) result.p_value = judgement.p_value();
  if (judgement.has_q_value()) result.q_value = judgement.q_value();
  if (judgement.has_rank_p_value()) result.rank_p_value = judgement.rank_p_value();
  if (judgement.has_shift()) result.shift = judgement.shift();
  result.max_q_value = judgement.max_q_value();
  result.min_relative_change = judgement.min_relative_change();
  result.min_absolute_change = judgement.min_absolute_change();
  result.family_size = judgement.family_size();
  return result;
}

void ToProtoHeader(const model::ComparisonBlock& block, v1::ComparisonBlock* out) {
  ToProto(block.axes, out->mutable_axes());
  out->mutable_compared_axes()->Add(block.compared_axes.begin(), block.compared_axes.end());
  for (const model::Column& column : block.columns) ToProto(column, out->add_columns());
  out->set_total_row_count(static_cast<std::int32_t>(block.rows.size()));
}

void ToProto(const model::Row& row, v1::ComparisonRow* out) {
  ToProto(row.metric, out->mutable_metric());
  for (const model::Cell& cell : row.cells) ToProto(cell, out->add_cells());
}

void ToProto(const model::ComparisonBlock& block, v1::ComparisonBlock* out) {
  ToProtoHeader(block, out);
  for (const model::Row& row : block.rows) ToProto(row, out->add_rows());
}

absl::StatusOr<model::ComparisonBlock> FromProto(const v1::ComparisonBlock& block,
                                                 std::string_view path) {
  FieldChecks checks(path);
  model::ComparisonBlock result;
  auto axes = FromProto(block.axes(), checks.PathOf("axes"));
  checks.Merge("axes", axes.status());
  if (axes.ok()) result.axes = *std::move(axes);
  result.compared_axes.assign(block.compared_axes().begin(), block.compared_axes().end());
  for (int i = 0; i < block.columns_size() && checks.ok(); ++i) {
    const std::string field = IndexPath("columns", i);
    auto column = FromProto(block.columns(i), checks.PathOf(field));
    checks.Merge(field, column.status());
    if (column.ok()) result.columns.push_back(*std::move(column));
  }
  for (int i = 0; i < block.rows_size() && checks.ok(); ++i) {
    const std::string field = IndexPath("rows", i);
    auto row = FromProto(block.rows(i), result.columns, checks.PathOf(field));
    checks.Merge(field, row.status());
    if (row.ok()) result.rows.push_back(*std::move(row));
  }
  if (!checks.ok()) return checks.status();
  return result;
}

}  // namespace regressd::common
