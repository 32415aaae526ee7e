#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace regressd::ctl {

/// Runs a program, found in PATH, without a shell, with LC_ALL=C and no standard input, and gives
/// parts of its output to `take` as they come; `take` returns an error to stop it.
/// Errors: that of `take`; NotFound when there is no such program; InvalidArgument with what it
/// said on standard error when it fails.
absl::Status ReadCommand(const std::vector<std::string>& arguments,
                         const std::function<absl::Status(std::string_view)>& take);

}  // namespace regressd::ctl
