#include "services/report/shell_text.h"

#include <fmt/format.h>

#include <iterator>

#include "services/report/text.h"

namespace regressd::report {
namespace {

// Octal and not \x: three digits end it, whatever follows.
std::string DollarQuoted(std::string_view argument) {
  std::string word = "$'";
  while (!argument.empty()) {
    const std::string_view character = FirstCharacters(argument, 1);
    argument.remove_prefix(character.size());
    if (Printable(character) == character) {
      if (character == "'" || character == "\\") word += '\\';
      word += character;
      continue;
    }
    for (const char byte : character) {
      fmt::format_to(std::back_inserter(word), "\\{:03o}", static_cast<unsigned char>(byte));
    }
  }
  return word + "'";
}

}  // namespace

std::string ShellWord(std::string_view argument) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  // zsh looks "=ls" up in PATH.
  if (!argument.empty() && argument.front() != '=' &&
      argument.find_first_not_of(kSafe) == std::string_view::npos) {
    return std::string(argument);
  }
  if (Printable(argument) != argument) return DollarQuoted(argument);
  std::string word = "'";
  for (const char c : argument) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string ShellLine(std::span<const std::string> arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    line += (line.empty() ? "" : " ") + ShellWord(argument);
  }
  return line;
}

}  // namespace regressd::report
