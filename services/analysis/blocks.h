#pragma once

#include <span>
#include <string>
#include <vector>

#include "services/analysis/judge.h"
#include "services/model/comparison.h"
#include "services/model/run_group.h"

namespace regressd::analysis {

/// Traits of a metric: its direction as the run declared it, "neither" included; limits from the
/// catalogue. A metric under
/// its testcase's own name ("vm-scalability.throughput" of vm-scalability, without ".time.") that
/// has a direction is a headline.
MetricTraits TraitsOf(const model::Metric& metric, std::string_view testcase);

/// The run groups of one column that was asked for.
struct ColumnGroups {
  std::vector<model::RunGroup> groups;
};

/// A machine whose load average was above this share of its CPUs was busy with something else
/// before the run: its numbers may tell of that.
inline constexpr double kBusyShareOfCpus = 0.5;

/// Puts run groups side by side and judges them: one block for each set of axes, without
/// `compared_axes`, that the base (the first column) and at least one more column have with at
/// least one run; columns that lack it are left out of the block. Rows are the union of all
/// columns' metrics. Within one block all metrics of one head column are judged together.
/// Of a run with last_state.is_incomplete_run above 0 only failures (dmesg.*, kmsg.*, last_state.*,
/// stderr.*) stand in the rows; its column still lists it.
/// A profile's share that a run has too little of to be kept is 0 there (FillAbsentShares).
/// `compared_axes` names axes along which columns differ beside the commit; may be empty.
/// Blocks are ordered by the canonical text of their axes.
std::vector<model::ComparisonBlock> BuildBlocks(std::span<const ColumnGroups> columns,
                                                const std::vector<std::string>& compared_axes,
                                                const JudgeOptions& options = {});

}  // namespace regressd::analysis
