#pragma once

#include <span>
#include <string>

#include "services/ctl/run_client.h"
#include "services/model/run.h"

namespace regressd::ctl {

/// One line a run: UUID, state, time, commit, testbox, axes. Safe on a terminal.
std::string RunTable(std::span<const model::Run> runs);
/// The same with a header, for spreadsheets and scripts.
std::string RunCsv(std::span<const model::Run> runs);
/// Everything about one run but its numbers, for people.
std::string RunText(const model::Run& run);

/// Run values: name, value, unit, samples.
std::string ValueTable(std::span<const RunValue> values);
std::string ValueCsv(std::span<const RunValue> values);
/// "regressd.run_values/1".
std::string ValueJson(const std::string& run_uuid, std::span<const RunValue> values);

/// "testcase=swap-w-seq nr_task=8", safe on a terminal.
std::string AxesText(const model::Axes& axes);

}  // namespace regressd::ctl
