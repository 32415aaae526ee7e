#pragma once

#include <span>
#include <string>
#include <vector>

#include "services/model/comparison.h"
#include "services/report/render_table.h"

namespace regressd::report {

/// True for rows that say something: the verdict of a column is a change, a failure became more or
/// less frequent, or the metric is a result of the testcase.
bool IsWorthShowing(const model::ComparisonBlock& block, const model::Row& row, bool functional);

/// The lines under a table: which metrics are worse or better, how many rows are hidden and why,
/// which runs were left out. Empty when there is nothing to say; else ends with an empty line.
std::string TableNotes(const model::ComparisonBlock& block, const TableOptions& options,
                       std::span<const model::Row* const> hidden_rows);

}  // namespace regressd::report
