#pragma once

#include <cstddef>
#include <string_view>

namespace regressd::model {

/// Levenshtein's distance: how many bytes must be put in, taken out or replaced to make `b` of `a`.
/// Takes time of the product of their sizes.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace regressd::model
