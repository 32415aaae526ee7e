#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace regressd::agent {

/// Whether the kernel `release` (of uname -r) is the one that `expected` means: the release itself;
/// a tag (v6.18, v6.18-rc1); a commit of at least seven digits that the release names as -g<sha>;
/// or a git describe, whose -g<sha> counts.
bool IsKernel(std::string_view expected, std::string_view release);

/// Errors: FailedPrecondition, naming both kernels, when another one runs.
absl::Status CheckKernel(std::string_view expected, std::string_view release);

}  // namespace regressd::agent
