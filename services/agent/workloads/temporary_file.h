#pragma once

#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// A file that no directory names, so that the kernel frees it when the last descriptor closes,
/// however the process ends. It has `size_bytes`, all of them a hole.
/// `directory` empty: TMPDIR or /tmp. Errors: Unavailable from the system.
absl::StatusOr<UniqueFd> MakeTemporaryFile(const std::filesystem::path& directory,
                                           std::int64_t size_bytes);

/// Where such a file lies: `directory`, or TMPDIR or /tmp when it is empty.
std::filesystem::path TemporaryDirectory(const std::filesystem::path& directory);

/// Bytes that a user may still write there. Errors: Unavailable from the system.
absl::StatusOr<std::int64_t> FreeBytes(const std::filesystem::path& directory);

}  // namespace regressd::agent
