#include "services/analysis/blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "services/analysis/absent_shares.h"
#include "services/analysis/summary.h"

namespace regressd::analysis {
namespace {

using model::RunGroup;

constexpr std::string_view kIncompleteRun = "last_state.is_incomplete_run";

// One group of each column that belongs to a block; the first is the base.
using Side = const RunGroup*;

model::Axes Without(const model::Axes& axes, const std::vector<std::string>& keys) {
  model::Axes rest;
  for (const auto& [key, value] : axes.list()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) rest.Set(key, value);
  }
  return rest;
}

model::Axes Only(const model::Axes& axes, const std::vector<std::string>& keys) {
  model::Axes part;
  for (const std::string& key : keys) {
    if (const auto value = axes.Find(key)) part.Set(key, *value);
  }
  return part;
}

// The group of each block in one column. Where several differ only in compared axes, the first by
// canonical text: to pool them would compare mixtures.
std::map<std::string, Side> GroupsByBlock(const ColumnGroups& column,
                                          const std::vector<std::string>& compared_axes) {
  std::map<std::string, Side> by_block;
  for (const RunGroup& group : column.groups) {
    if (group.runs.empty()) continue;
    const auto [place, is_new] =
        by_block.emplace(Without(group.axes, compared_axes).Canonical(), &group);
    if (is_new) continue;
    const auto order = [](Side side) {
      return std::pair(side->axes.Canonical(), side->commit.commit_id);
    };
    if (order(&group) < order(place->second)) place->second = &group;
  }
  return by_block;
}

std::vector<std::string> ComparedNames(const std::vector<Side>& sides,
                                       const std::vector<std::string>& compared_axes) {
  const bool commits_differ = std::any_of(sides.begin(), sides.end(), [&](Side side) {
    return side->commit.commit_id != sides.front()->commit.commit_id;
  });
  std::vector<std::string> names;
  if (commits_differ || compared_axes.empty()) names.push_back("commit");
  names.insert(names.end(), compared_axes.begin(), compared_axes.end());
  return names;
}

std::vector<model::StartLoad> BusyStarts(const std::vector<model::StartLoad>& loads) {
  std::vector<model::StartLoad> busy;
  std::copy_if(loads.begin(), loads.end(), std::back_inserter(busy),
               [](const model::StartLoad& start) {
                 return start.cpu_count > 0 && start.load > kBusyShareOfCpus * start.cpu_count;
               });
  return busy;
}

model::Column ToColumn(const RunGroup& group, const std::vector<std::string>& compared_axes) {
  return {.commit = group.commit,
          .compared_axes = Only(group.axes, compared_axes),
          .runs = group.runs,
          .failed_run_count = group.failed_run_count,
          .excluded_run_count = group.excluded_run_count,
          .facts = group.facts,
          .command = group.command,
          .job_toml = group.job_toml,
          .setup_differences = {},
          .busy_starts = BusyStarts(group.start_loads),
          .left_out = group.left_out};
}

// Rows by name; each column's declaration of the metric beside its cell.
struct DraftRow {
  std::vector<const model::MetricValues*> by_column;

  const model::Metric& metric() const {
    return (*std::find_if(by_column.begin(), by_column.end(), [](auto* cell) { return cell; }))
        ->metric;
  }
};

// What LKP calls functional: kept of every run, because it says that a run went wrong.
bool IsFailure(std::string_view name) {
  constexpr std::array<std::string_view, 4> kFamilies = {"dmesg.", "kmsg.", "last_state.",
                                                         "stderr."};
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

// The runs of a group that say of themselves that their numbers are those of a broken run (out of
// memory, an oops).
std::vector<std::int32_t> IncompleteRuns(const RunGroup& group) {
  std::vector<std::int32_t> runs;
  for (const model::MetricValues& metric : group.metrics) {
    if (metric.metric.name != kIncompleteRun) continue;
    for (std::size_t i = 0; i < metric.values.size(); ++i) {
      if (metric.values[i] > 0) runs.push_back(metric.run_index[i]);
    }
  }
  return runs;
}

// The group without the measurements of its incomplete runs: a run that met the out-of-memory
// killer is not a slow run. LKP's rule (lkp.md 4.1).
RunGroup WithoutIncompleteRuns(const RunGroup& group) {
  RunGroup kept = group;
  const std::vector<std::int32_t> incomplete = IncompleteRuns(group);
  if (incomplete.empty()) return kept;
  for (model::MetricValues& metric : kept.metrics) {
    if (IsFailure(metric.metric.name)) continue;
    const model::MetricValues all = metric;
    metric.values.clear();
    metric.run_index.clear();
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      if (std::find(incomplete.begin(), incomplete.end(), all.run_index[i]) != incomplete.end()) {
        continue;
      }
      metric.values.push_back(all.values[i]);
      metric.run_index.push_back(all.run_index[i]);
    }
  }
  std::erase_if(kept.metrics,
                [](const model::MetricValues& metric) { return metric.values.empty(); });
  return kept;
}

std::map<std::string, DraftRow> DraftRows(const std::vector<Side>& sides) {
  std::map<std::string, DraftRow> rows;
  for (std::size_t column = 0; column < sides.size(); ++column) {
    for (const model::MetricValues& metric : sides[column]->metrics) {
      DraftRow& row = rows[metric.metric.name];
      row.by_column.resize(sides.size());
      row.by_column[column] = &metric;
    }
  }
  return rows;
}

// Values of another unit or reduction are no repeats of the same quantity.
bool AreComparable(const model::MetricValues* base, const model::MetricValues* head) {
  return base == nullptr || head == nullptr ||
         (base->metric.unit == head->metric.unit &&
          base->metric.reduction == head->metric.reduction);
}

void JudgeColumn(std::size_t column, const std::map<std::string, DraftRow>& drafts,
                 std::string_view testcase, const JudgeOptions& options,
                 model::ComparisonBlock& block) {
  std::vector<MetricRepeats> metrics;
  metrics.reserve(drafts.size());
  for (const auto& [name, draft] : drafts) {
    const auto* base = draft.by_column.front();
    const auto* head = draft.by_column[column];
    MetricRepeats repeats{.traits = TraitsOf(draft.metric(), testcase), .base = {}, .head = {}};
    if (base != nullptr) repeats.base = base->values;
    if (head != nullptr && AreComparable(base, head)) repeats.head = head->values;
    metrics.push_back(repeats);
  }
  std::vector<model::Judgement> judgements = Judge(metrics, options);
  std::size_t k = 0;
  for (const auto& [name, draft] : drafts) {
    if (!AreComparable(draft.by_column.front(), draft.by_column[column])) {
      const Moments head = Summarize(draft.by_column[column]->values);
      judgements[k].reason = "declared_differently";
      judgements[k].head = {.run_count = static_cast<std::int32_t>(head.count),
                            .mean = head.mean,
                            .sample_stddev = head.sample_stddev};
    }
    block.rows[k].cells[column].judgement = std::move(judgements[k]);
    ++k;
  }
}

model::ComparisonBlock BuildBlock(const std::vector<Side>& sides,
                                  const std::vector<std::string>& compared_axes,
                                  const JudgeOptions& options) {
  model::ComparisonBlock block;
  block.axes = Without(sides.front()->axes, compared_axes);
  block.compared_axes = ComparedNames(sides, compared_axes);
  for (const Side side : sides) block.columns.push_back(ToColumn(*side, compared_axes));

  const std::map<std::string, DraftRow> drafts = DraftRows(sides);
  for (const auto& [name, draft] : drafts) {
    model::Row row{.metric = draft.metric(), .cells = std::vector<model::Cell>(sides.size())};
    for (std::size_t column = 0; column < sides.size(); ++column) {
      if (draft.by_column[column] == nullptr) continue;
      row.cells[column].values = draft.by_column[column]->values;
      row.cells[column].run_index = draft.by_column[column]->run_index;
    }
    block.rows.push_back(std::move(row));
  }
  const std::string_view testcase = sides.front()->axes.Find("testcase").value_or("");
  for (std::size_t column = 1; column < sides.size(); ++column) {
    JudgeColumn(column, drafts, testcase, options, block);
  }
  return block;
}

}  // namespace

std::vector<model::ComparisonBlock> BuildBlocks(std::span<const ColumnGroups> columns,
                                                const std::vector<std::string>& compared_axes,
                                                const JudgeOptions& options) {
  std::vector<model::ComparisonBlock> blocks;
  if (columns.size() < 2) return blocks;
  std::vector<std::map<std::string, Side>> by_block;
  for (const ColumnGroups& column : columns) {
    by_block.push_back(GroupsByBlock(column, compared_axes));
  }
  for (const auto& [axes, base] : by_block.front()) {
    std::vector<Side> sides{base};
    for (std::size_t column = 1; column < columns.size(); ++column) {
      const auto found = by_block[column].find(axes);
      if (found != by_block[column].end()) sides.push_back(found->second);
    }
    if (sides.size() < 2) continue;
    std::vector<RunGroup> prepared;
    for (const Side side : sides) prepared.push_back(WithoutIncompleteRuns(*side));
    FillAbsentShares(prepared);
    for (std::size_t i = 0; i < sides.size(); ++i) sides[i] = &prepared[i];
    blocks.push_back(BuildBlock(sides, compared_axes, options));
  }
  return blocks;
}

}  // namespace regressd::analysis
