#include "services/parse/benchmark_results.h"

#include <fmt/format.h>

namespace regressd::parse {

std::string Where(const InputLine& line) {
  return fmt::format("{} line {}", line.input, line.number);
}

}  // namespace regressd::parse
