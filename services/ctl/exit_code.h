#pragma once

#include "absl/status/status.h"

namespace regressd::ctl {

/// What regressctl's exit status means; part of its interface.
enum class ExitCode {
  kOk = 0,
  kRegressionFound = 1,   ///< Only with --exit-code.
  kUsage = 2,             ///< The command line, the environment or the configuration file is wrong.
  kInputRefused = 3,      ///< The server, git or the file system does not take what was given.
  kUnreachable = 4,       ///< No answer in time; try again.
  kNotFound = 5,          ///< No such run, commit, metric or regression.
  kNothingToCompare = 6,  ///< The commits are known, but no two of them have runs of equal axes.
  kFailed = 70,           ///< A fault of the server or of regressctl itself.
};

/// The exit code for an error. `status` is not OK.
ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace regressd::ctl
