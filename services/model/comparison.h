#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/model/axes.h"
#include "services/model/commit.h"
#include "services/model/metric.h"
#include "services/model/run.h"

namespace regressd::model {

enum class Verdict { kRegression, kImprovement, kChanged, kMixed, kUnchanged, kInconclusive };

/// "regression", "improvement", "changed", "mixed", "unchanged", "inconclusive".
std::string_view ToString(Verdict verdict);
bool FromString(std::string_view text, Verdict* out);

/// Centre and spread of one metric over the runs of one group.
struct Summary {
  std::int32_t run_count = 0;
  double mean = 0;           ///< In the metric's unit.
  double sample_stddev = 0;  ///< Divides by n-1; 0 for a single run.

  friend bool operator==(const Summary&, const Summary&) = default;
};

/// Every number that a verdict on one metric rests on. A value that does not exist is unset, never 0 or NaN.
struct Judgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;  ///< A code: "significant", "below_min_effect", "ranks_overlap", "insufficient", "new_nonzero", ...
  std::string rule;    ///< Name and version of the rule: "welch-1".
  Summary base;
  Summary head;
  double absolute_change = 0;             ///< head.mean - base.mean.
  std::optional<double> relative_change;  ///< absolute_change / |base.mean|; unset when the base is 0.
  std::optional<double> t_statistic;
  std::optional<double> degrees_of_freedom;
  std::optional<double> p_value;  ///< Two-sided, of this t: Welch's, or Student's where it is larger.
  std::optional<double> q_value;       ///< After Benjamini-Hochberg over the family.
  std::optional<double> rank_p_value;  ///< Exact two-sided Mann-Whitney.
  std::optional<double> shift;         ///< Hodges-Lehmann, metric's unit.
  double max_q_value = 0;              ///< The limits that were used.
  double min_relative_change = 0;
  double min_absolute_change = 0;
  std::int32_t family_size = 0;  ///< Metrics judged together.

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

/// The runs of one metric in one column.
struct Cell {
  std::vector<double> values;            ///< Run values in the order of the column's runs.
  std::vector<std::int32_t> run_index;   ///< The run of each value; a run without the metric is left out.
  std::optional<Judgement> judgement;    ///< Against the first column; unset for that one.
};

struct Row {
  Metric metric;
  std::vector<Cell> cells;  ///< One a column.
};

/// A run group as shown.
struct Column {
  Commit commit;
  Axes compared_axes;  ///< Values of the axes in ComparisonBlock::compared_axes, without the commit.
  std::vector<RunKey> runs;  ///< Complete, not excluded, by start time.
  std::int32_t failed_run_count = 0;
  std::int32_t excluded_run_count = 0;
  MachineFacts facts;  ///< Of the first run, as the next two.
  std::vector<std::string> command;
  std::string job_toml;
  std::vector<std::string> setup_differences;  ///< "command ./a -> ./b": from what the base ran, for people.
  std::vector<StartLoad> busy_starts;          ///< Runs before which the machine was busy.
  std::vector<LeftOut> left_out;               ///< Runs, and metrics of all runs, that cannot be read.
};

/// One table: columns that differ only in the compared axes.
struct ComparisonBlock {
  Axes axes;                               ///< What all columns share, in print order.
  std::vector<std::string> compared_axes;  ///< "commit", or names of axes.
  std::vector<Column> columns;             ///< The first is the base.
  std::vector<Row> rows;                   ///< By metric name, byte order.
};

}  // namespace regressd::model
