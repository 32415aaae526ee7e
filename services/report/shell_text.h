#pragma once

#include <span>
#include <string>
#include <string_view>

namespace regressd::report {

/// `argument` so that a shell takes it for one word, with nothing that a terminal would obey:
/// plain, 'quoted', or as $'...' with the bytes of control and direction characters in octal
/// (POSIX.1-2024 2.2.4; bash, zsh and ksh have it of old). Pasted, it gives the very same bytes.
std::string ShellWord(std::string_view argument);

/// A whole command line that can be pasted.
std::string ShellLine(std::span<const std::string> arguments);

}  // namespace regressd::report
