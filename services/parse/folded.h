#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "services/parse/problem.h"

namespace regressd::parse {

/// A folded call stack, root first, and how often it was seen. Views into the text that was read.
struct FoldedStack {
  std::string_view stack;  ///< "comm;root;...;leaf"; frames may hold blanks.
  std::uint64_t count = 0;
};

/// One line "stack count", split at its last blank. nullopt when it is none.
std::optional<FoldedStack> ParseFoldedLine(std::string_view line);

struct FoldedText {
  std::vector<FoldedStack> stacks;  ///< As they stand, repeated stacks not added up.
  Problems problems;
};

/// Empty lines and '#' comments are skipped, other lines that do not fit are refused by number.
FoldedText ParseFolded(std::string_view text);

/// True when the first data line has ';' and ends in a count: folded stacks, not `perf script`.
bool LooksFolded(std::string_view text);

}  // namespace regressd::parse
