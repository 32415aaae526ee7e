#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regressd::report {

/// `text` safe to show on a terminal, in a mail or on a page: what could move the cursor, colour or
/// reorder the line, or hide itself is spelled out. Control characters and bytes that are not UTF-8
/// become \xNN, invisible and direction characters \u{NNNN}. Everything else, quotes and angle
/// brackets too, stays as it is.
std::string Printable(std::string_view text);

/// Printable, with line ends and tabs as blanks: a folded subject becomes one line again.
std::string OneLine(std::string_view text);

/// Code points of `text`, which is UTF-8. Not its bytes.
std::size_t CharacterCount(std::string_view text);

/// The first `count` code points.
std::string_view FirstCharacters(std::string_view text, std::size_t count);

/// Blanks in front until `text` is `width` code points wide; longer text stays.
std::string PadLeft(std::string_view text, std::size_t width);

/// Breaks at blanks so that no line is longer than `width` where a blank allows it. Ends without a
/// line feed.
std::string Wrap(std::string_view prose, std::size_t width);

/// "1 run", "2 runs".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace regressd::report
