#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace regressd::agent {

/// Writes the first page of a swap space, as mkswap does: version 1 of the kernel's `union
/// swap_header`, with `uuid` as its UUID. The space is a file or a block device of `size_bytes`.
absl::Status WriteSwapHeader(const std::filesystem::path& path, std::int64_t size_bytes,
                             std::string_view uuid);

/// The UUID in a swap space's first page; empty when that is no swap header or cannot be read.
std::string ReadSwapUuid(const std::filesystem::path& path);

}  // namespace regressd::agent
