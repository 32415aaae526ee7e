#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regressd::agent {

/// "1536M", "1.5G", "65536": a whole number of bytes above 0, with K, M, G or T for powers of 1024.
/// nullopt for anything else.
std::optional<std::int64_t> ParseSize(std::string_view text);

/// The one spelling of a size: the largest unit that leaves a whole number. 1.5G is "1536M".
std::string SizeText(std::int64_t size_bytes);

}  // namespace regressd::agent
