#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace regressd::storage {

/// The names in `known` that somebody who wrote `name` may have meant, at most `limit`: those that
/// hold it whole, then those within a third of its length in Levenshtein distance, nearest first,
/// without regard to case. Pure.
std::vector<std::string> NearNames(std::string_view name, std::span<const std::string> known,
                                   std::size_t limit = 3);

/// "; near: a, b, c", or nothing when there are none: the end of a NotFound message.
std::string NearNamesHint(std::string_view name, std::span<const std::string> known);

}  // namespace regressd::storage
