#include "services/parse/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

Problem Make(int line, Severity severity, std::string code, const std::string& message) {
  return {.line = line,
          .severity = severity,
          .code = std::move(code),
          .message = Printable(line > 0 ? fmt::format("line {}: {}", line, message) : message)};
}

}  // namespace

Problem Warning(int line, std::string code, const std::string& message) {
  return Make(line, Severity::kWarning, std::move(code), message);
}

Problem Error(int line, std::string code, const std::string& message) {
  return Make(line, Severity::kError, std::move(code), message);
}

bool HasErrors(const Problems& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::kError; });
}

}  // namespace regressd::parse
