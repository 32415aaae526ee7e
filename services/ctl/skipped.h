#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"

namespace regressd::ctl {

/// Hears of a part of an answer that cannot be read: what it is ("run 0a1b..."), and why. One such
/// part does not keep the others from being shown.
using Skipped = std::function<void(const std::string& what, const absl::Status& why)>;

/// The error of a command that asked for that one thing: what was given is not to blame.
absl::Status Unreadable(const std::string& what, const absl::Status& why);

}  // namespace regressd::ctl
