#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "services/parse/benchmark_results.h"
#include "services/parse/text.h"

namespace regressd::parse::testing {

/// Feeds all lines of `text` as those of `input`.
inline void FeedAll(std::string_view input, std::string_view text, BenchmarkParser* parser) {
  std::string_view line;
  for (int number = 1; NextLine(&text, &line); ++number) {
    parser->Feed({.input = input, .number = number, .text = line});
  }
}

template <typename Parser>
BenchmarkResults Parse(std::string_view text, Parser parser = Parser()) {
  FeedAll("stdout", text, &parser);
  return parser.Finish();
}

/// The samples of each result's name.
inline std::map<std::string, std::vector<double>> ValuesOf(const BenchmarkResults& results) {
  std::map<std::string, std::vector<double>> values;
  for (const BenchmarkResult& result : results.results) {
    values[result.name].push_back(result.value);
  }
  return values;
}

}  // namespace regressd::parse::testing
