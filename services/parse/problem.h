#pragma once

#include <string>
#include <vector>

namespace regressd::parse {

enum class Severity {
  kWarning,  ///< The input was taken; somebody should know about this.
  kError,    ///< What the message names was not taken.
};

/// Something in an input that is not as it should be.
struct Problem {
  int line = 0;  ///< From 1 over the whole input; 0 when the input as a whole is meant.
  Severity severity = Severity::kError;
  std::string code;     ///< Stable, for programs: "column_count_mismatch".
  std::string message;  ///< For people: "line 4: ..." what was found and what to do.
};

using Problems = std::vector<Problem>;

/// Makes a problem whose message starts with "line N: " unless `line` is 0, and is plain ASCII
/// without control characters, whatever the input held.
Problem Warning(int line, std::string code, const std::string& message);
Problem Error(int line, std::string code, const std::string& message);

bool HasErrors(const Problems& problems);

}  // namespace regressd::parse
