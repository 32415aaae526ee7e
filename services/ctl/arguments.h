#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace regressd::ctl {

/// Checks an argument to be a whole number of `min` to `max` in decimal digits: no octal 010, no
/// 0x10, nothing after it. `what` is the noun of the error: "a number of rows".
CLI::Validator WholeNumber(std::int64_t min, std::int64_t max, const std::string& what);

/// Checks an argument to be there: an empty one is mostly a shell variable that is not set, and
/// must not select everything.
CLI::Validator NotEmpty();

/// Adds the argument that names a regression.
CLI::Option* AddRegressionId(CLI::App* app, std::int64_t* id);

/// Adds the argument that names a run: its UUID, or at least the first 4 digits of it.
CLI::Option* AddRunId(CLI::App* app, std::string* run);

}  // namespace regressd::ctl
