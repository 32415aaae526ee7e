#pragma once

#include <span>
#include <string>

#include "services/model/comparison.h"
#include "services/model/regression.h"
#include "services/model/run.h"

namespace regressd::report {

/// JSON for scripts. Each document is an object with "schema", its name and version
/// ("regressd.comparison/1"): keys may be added under the same version, never renamed or removed.
/// Numbers are doubles; 64-bit integers are strings; instants are RFC 3339 in UTC. A value that
/// does not exist has no key: there is neither null nor NaN. Two blanks of indent, a line feed at
/// the end.

/// "regressd.comparison/1": {"blocks": [...]}.
std::string RenderComparisonJson(std::span<const model::ComparisonBlock> blocks);

/// "regressd.runs/1": {"runs": [...]}.
std::string RenderRunsJson(std::span<const model::Run> runs);

/// "regressd.regressions/1": {"regressions": [...]}.
std::string RenderRegressionsJson(std::span<const model::Regression> regressions);

/// "regressd.regression_event/1" on one line, for streams: {"event": {...}, "regression": {...}}.
std::string RenderRegressionEventJson(const model::RegressionEvent& event,
                                      const model::Regression& regression);

}  // namespace regressd::report
