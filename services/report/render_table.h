#pragma once

#include <string>

#include "services/model/comparison.h"

namespace regressd::report {

struct TableOptions {
  bool all_metrics = false;  ///< Also metrics that did not change; otherwise those whose verdict is a change, and headlines.
  bool ascii = false;        ///< "+-" in place of the plus-minus sign.
  bool color = false;        ///< ANSI colour on regressions and improvements; sign and word are there without it.
};

/// The LKP-like text table of one block: common axes, columns, and a row a metric with mean, +- stddev in percent and
/// change, in the layout and row order of lkp.md sections 3.6 and 5. Means of the stddev are LKP's (population).
/// Names are escaped against terminals: control characters are shown as \xNN.
std::string RenderTable(const model::ComparisonBlock& block, const TableOptions& options);

}  // namespace regressd::report
