#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regressd::agent {

/// Text of a machine or a tool as the wire takes it: well-formed UTF-8, one line. Bytes that are
/// not UTF-8 become "?", tabs a blank, other control characters are left out; cut to `max_bytes`
/// at a character's border.
std::string CleanText(std::string_view text, std::size_t max_bytes = 16 * 1024);

}  // namespace regressd::agent
