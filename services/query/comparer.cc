#include "services/query/comparer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "services/analysis/blocks.h"
#include "services/common/error_details.h"
#include "services/query/metric_filter.h"
#include "services/report/fact_notes.h"
#include "services/report/text.h"

namespace regressd::query {
namespace {

using common::InvalidField;

std::string ColumnPath(std::size_t index) { return fmt::format("columns[{}]", index); }

absl::Status CheckColumns(const std::vector<ColumnQuery>& columns) {
  if (columns.size() < 2) {
    return InvalidField("columns",
                        fmt::format("has {}; give a base and at least one head", columns.size()));
  }
  if (columns.size() > kMaxColumns) {
    return InvalidField("columns", fmt::format("has {} entries; at most {} are taken",
                                               columns.size(), kMaxColumns));
  }
  return absl::OkStatus();
}

// The axes along which the columns differ. A column that leaves one open would have several groups
// in one block.
absl::StatusOr<std::vector<std::string>> ComparedAxes(const std::vector<ColumnQuery>& columns) {
  std::map<std::string, std::set<std::string>> values;
  for (const ColumnQuery& column : columns) {
    for (const model::Axis& axis : column.axes.list()) values[axis.key].insert(axis.value);
  }
  std::vector<std::string> compared;
  for (const auto& [key, distinct] : values) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].axes.Find(key)) continue;
      return InvalidField(ColumnPath(i) + ".axes",
                          fmt::format("lacks {}, which another column has; give it in each", key));
    }
    if (distinct.size() > 1) compared.push_back(key);
  }
  return compared;
}

absl::StatusOr<std::vector<model::Commit>> ResolveAll(storage::CommitStore& commits,
                                                      const std::vector<ColumnQuery>& columns) {
  std::map<std::string, model::Commit> known;
  std::vector<model::Commit> resolved;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].commit;
    if (name.empty()) {
      return InvalidField(ColumnPath(i) + ".commit", "is empty; name a commit");
    }
    auto found = known.find(name);
    if (found == known.end()) {
      absl::StatusOr<model::Commit> commit = commits.Resolve(name);
      if (!commit.ok()) return commit.status();
      found = known.emplace(name, *std::move(commit)).first;
    }
    resolved.push_back(found->second);
  }
  return resolved;
}

std::vector<analysis::ColumnGroups> Distribute(const std::vector<model::RunGroup>& groups,
                                               const std::vector<model::Commit>& commits,
                                               const std::vector<ColumnQuery>& columns) {
  std::vector<analysis::ColumnGroups> result(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const model::RunGroup& group : groups) {
      if (group.commit.commit_id == commits[i].commit_id && group.axes.Contains(columns[i].axes)) {
        result[i].groups.push_back(group);
      }
    }
  }
  return result;
}

std::string Pairs(const model::Axes& axes) {
  std::vector<std::string> pairs;
  for (const model::Axis& axis : axes.list()) {
    pairs.push_back(fmt::format("{}={}", axis.key, axis.value));
  }
  return fmt::format("{}", fmt::join(pairs, ", "));
}

// "v6.12: 5 complete runs in 1 set of axes (testcase=a, nr_task=8), 2 failed, 0 excluded"
std::string WhatColumnHas(const ColumnQuery& query, const analysis::ColumnGroups& column) {
  std::size_t run_count = 0;
  std::int64_t failed_count = 0;
  std::int64_t excluded_count = 0;
  std::vector<std::string> sets;
  for (const model::RunGroup& group : column.groups) {
    run_count += group.runs.size();
    failed_count += group.failed_run_count;
    excluded_count += group.excluded_run_count;
    if (group.runs.empty()) continue;
    sets.push_back(fmt::format("({})", Pairs(group.axes)));
  }
  std::string text = query.commit;
  if (!query.axes.empty()) text += fmt::format(" ({})", Pairs(query.axes));
  text += ": " + report::Counted(run_count, "complete run");
  if (!sets.empty()) {
    text +=
        fmt::format(" in {} of axes {}", report::Counted(sets.size(), "set"), fmt::join(sets, " "));
  }
  return text + fmt::format(", {} failed, {} excluded", failed_count, excluded_count);
}

absl::Status NothingToCompare(const std::vector<ColumnQuery>& queries,
                              const std::vector<analysis::ColumnGroups>& columns) {
  common::ErrorInfo info{.reason = "NOTHING_TO_COMPARE", .metadata = {}};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    parts.push_back(WhatColumnHas(queries[i], columns[i]));
    info.metadata[ColumnPath(i)] = parts.back();
  }
  return common::WithErrorInfo(
      absl::FailedPreconditionError(fmt::format(
          "nothing to compare: no set of axes has complete runs of the base and of another column; "
          "{}",
          fmt::join(parts, "; "))),
      info);
}

std::vector<std::string> DistinctIds(const std::vector<model::Commit>& commits) {
  std::set<std::string> ids;
  for (const model::Commit& commit : commits) ids.insert(commit.commit_id);
  return {ids.begin(), ids.end()};
}

}  // namespace

absl::StatusOr<std::vector<model::ComparisonBlock>> Comparer::Compare(
    const CompareQuery& query) const {
  if (const absl::Status status = CheckColumns(query.columns); !status.ok()) return status;
  const auto filter = MetricFilter::Make(query.metric_regex, "metric_regex");
  if (!filter.ok()) return filter.status();
  const auto compared_axes = ComparedAxes(query.columns);
  if (!compared_axes.ok()) return compared_axes.status();
  const auto commits = ResolveAll(commits_, query.columns);
  if (!commits.ok()) return commits.status();

  const auto groups =
      runs_.LoadGroups({.commit_ids = DistinctIds(*commits), .axes = query.axes, .axes_id = {}});
  if (!groups.ok()) return groups.status();
  const auto columns = Distribute(*groups, *commits, query.columns);
  std::vector<model::ComparisonBlock> blocks =
      analysis::BuildBlocks(columns, *compared_axes, options_);
  if (blocks.empty()) return NothingToCompare(query.columns, columns);

  // After the judging: what is left out of sight still counts in its family.
  for (model::ComparisonBlock& block : blocks) {
    for (model::Column& column : block.columns) {
      column.setup_differences = report::DifferingSetup(block.columns.front(), column);
    }
    std::erase_if(block.rows,
                  [&](const model::Row& row) { return !filter->Takes(row.metric.name); });
  }
  return blocks;
}

absl::StatusOr<model::ComparisonBlock> Comparer::BlockOf(
    const model::Regression& regression) const {
  auto blocks = Compare({.columns = {{.commit = regression.base.commit_id, .axes = {}},
                                     {.commit = regression.head.commit_id, .axes = {}}},
                         .axes = regression.axes,
                         .metric_regex = ""});
  if (!blocks.ok() && !absl::IsNotFound(blocks.status()) &&
      !absl::IsFailedPrecondition(blocks.status())) {
    return blocks.status();
  }
  if (blocks.ok()) {
    // Blocks with more axes than these contain them, too.
    for (model::ComparisonBlock& block : *blocks) {
      if (block.axes == regression.axes) return std::move(block);
    }
  }
  return absl::FailedPreconditionError(
      fmt::format("regression {}: runs of {} or {} that it rests on are gone, excluded or failed",
                  regression.regression_id, regression.base.commit_id, regression.head.commit_id));
}

}  // namespace regressd::query
