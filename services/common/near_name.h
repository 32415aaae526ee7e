#pragma once

#include <span>
#include <string>
#include <string_view>

namespace regressd::common {

/// The known name that was probably meant by `name`: the one with the fewest changed letters, if
/// those are at most a third of it. Empty when there is none.
std::string NearName(std::string_view name, std::span<const std::string> known);

}  // namespace regressd::common
