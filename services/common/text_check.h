#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regressd::common {

/// Well-formed UTF-8: shortest forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

/// Some character of well-formed UTF-8 is a control character: C0, DEL or C1. Tab and newline are.
bool HasControlCharacter(std::string_view text);

/// The whole characters of well-formed `text` that fit `max_bytes`; "..." stands for what is cut
/// off.
std::string ClampUtf8(std::string_view text, std::size_t max_bytes);

}  // namespace regressd::common
