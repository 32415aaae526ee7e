#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regressd::agent {

/// Text of a machine or a tool as the wire takes it: well-formed UTF-8, one line. Bytes that are
/// not UTF-8 become "?", tabs a blank, other control characters are left out; cut to `max_bytes`
/// at a character's border.
std::string CleanText(std::string_view text, std::size_t max_bytes = 16 * 1024);

/// The same text in well-formed UTF-8: bytes that are not become "?", and all else stays.
std::string Utf8Text(std::string_view text);

/// An argument of a command for people: as CleanText, with line ends and tabs spelt "\n", "\t".
std::string ArgumentText(std::string_view argument);

}  // namespace regressd::agent
