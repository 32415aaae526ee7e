#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace regressd::report {

/// `text` safe to show on a terminal, in a mail or on a page: what could move the cursor, colour or
/// reorder the line, or hide itself is spelled out. Control characters and bytes that are not UTF-8
/// become \xNN, invisible and direction characters \u{NNNN}. Everything else, quotes and angle
/// brackets too, stays as it is.
std::string Printable(std::string_view text);

/// Printable, with line ends and tabs as blanks.
std::string OneLine(std::string_view text);

/// OneLine without blanks at its ends, and with one in place of several: a folded subject becomes
/// what it was before.
std::string Unfolded(std::string_view text);

/// Code points of `text`, which is UTF-8. Not its bytes.
std::size_t CharacterCount(std::string_view text);

/// The first `count` code points.
std::string_view FirstCharacters(std::string_view text, std::size_t count);

/// Blanks in front until `text` is `width` code points wide; longer text stays.
std::string PadLeft(std::string_view text, std::size_t width);

/// Breaks at blanks so that no line is longer than `width` where a blank allows it. Ends without a
/// line feed.
std::string Wrap(std::string_view prose, std::size_t width);

/// The parts that are not empty, with `separator` between them.
std::string Joined(std::initializer_list<std::string_view> parts, std::string_view separator);

/// "1 run", "2 runs".
std::string Counted(std::size_t count, std::string_view noun);

}  // namespace regressd::report
