#pragma once

#include <span>
#include <string>

#include "services/ctl/regression_client.h"

namespace regressd::ctl {

/// One line a regression: id, state, title, head, axes. Safe on a terminal.
std::string RegressionTable(std::span<const model::Regression> regressions);
std::string RegressionCsv(std::span<const model::Regression> regressions);

/// One regression with its metrics, numbers and history, for people.
std::string RegressionText(const RegressionHistory& history);

/// "2026-11-30 12:05:03 UTC  #17 confirmed: <title> (by detect: <comment>)".
std::string EventLine(const model::RegressionEvent& event, const model::Regression& regression);

}  // namespace regressd::ctl
