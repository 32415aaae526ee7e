#include "services/parse/folded.h"

#include <fmt/format.h>

#include "services/parse/text.h"

namespace regressd::parse {

std::optional<FoldedStack> ParseFoldedLine(std::string_view line) {
  line = Trim(line);
  const std::size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> count = ToUnsigned(line.substr(blank + 1));
  const std::string_view stack = Trim(line.substr(0, blank));
  if (!count || stack.empty()) return std::nullopt;
  return FoldedStack{.stack = stack, .count = *count};
}

FoldedText ParseFolded(std::string_view text) {
  FoldedText result;
  std::string_view line;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    if (Trim(line).empty() || Trim(line).front() == '#') continue;
    if (const std::optional<FoldedStack> stack = ParseFoldedLine(line)) {
      result.stacks.push_back(*stack);
    } else {
      result.problems.push_back(
          Error(line_number, "not_folded",
                fmt::format("{} is no \"frame;frame;... count\"; it is left out", Quote(line))));
    }
  }
  if (result.stacks.empty() && result.problems.empty()) {
    result.problems.push_back(Error(0, "no_samples", "there is no folded stack here"));
  }
  return result;
}

bool LooksFolded(std::string_view text) {
  std::string_view line;
  while (NextLine(&text, &line)) {
    if (Trim(line).empty() || Trim(line).front() == '#') continue;
    return line.find(';') != std::string_view::npos && ParseFoldedLine(line).has_value();
  }
  return false;
}

}  // namespace regressd::parse
