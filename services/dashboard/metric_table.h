#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/dashboard/html.h"
#include "services/model/comparison.h"

namespace regressd::dashboard {

/// One metric under the base and each head, with what was decided about it.
struct MetricRow {
  struct Head {
    model::Summary summary;
    std::optional<model::Judgement> judgement;
  };

  model::Metric metric;
  model::Summary base;
  std::vector<Head> heads;
};

/// A table of metrics: means with spread and n for each side, change, verdict, q value and reason
/// for each head. `names` has the base's name and then those of the heads.
void MetricTable(Html& html, std::string_view caption, const std::vector<std::string>& names,
                 const std::vector<MetricRow>& rows);

/// The rows of a block: those that changed or that are results of the testcase; with `all` every
/// one, these first.
std::vector<MetricRow> RowsOf(const model::ComparisonBlock& block, bool all);

/// The short names of a block's columns: commit, compared axes.
std::vector<std::string> ColumnNames(const model::ComparisonBlock& block);

/// The values of every run as dots on one scale, a line for each column and a mark at its mean.
/// Nothing with fewer than two different values.
void StripPlot(Html& html, const model::Row& row, const std::vector<std::string>& names);

/// Runs of each column, linked, with what was left out.
void ColumnRuns(Html& html, const model::ComparisonBlock& block);

}  // namespace regressd::dashboard
