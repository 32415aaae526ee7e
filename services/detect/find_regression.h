#pragma once

#include <optional>

#include "services/model/comparison.h"
#include "services/model/regression.h"

namespace regressd::detect {

/// What the second column of a judged block shows against the first, as one regression: nullopt
/// unless some metric's verdict is kRegression. (Metrics without direction and unknown ones never
/// have that verdict; improvements alone open nothing.)
///
/// The headline is the regressed headline metric of the largest severity, and only when no headline
/// metric regressed, another one. After it come all metrics that changed, regressions first, each
/// kind by severity: the size of the change in units of the least one that counts. The state is
/// left to the store. Pure.
std::optional<model::Regression> FindRegression(const model::ComparisonBlock& block);

}  // namespace regressd::detect
