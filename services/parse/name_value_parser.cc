#include "services/parse/name_value_parser.h"

#include <fmt/format.h>

#include <utility>

#include "services/parse/name_value.h"
#include "services/parse/text.h"

namespace regressd::parse {

void NameValueParser::Feed(const InputLine& line) {
  NameValue found;
  switch (ParseNameValue(line.text, &found)) {
    case NameValueLine::kOther:
      return;
    case NameValueLine::kBroken:
      if (out_.failure.empty()) {
        out_.failure =
            fmt::format("{}: {} looks like a result, but its value is no finite decimal number",
                        Where(line), Quote(line.text));
      }
      return;
    case NameValueLine::kResult:
      break;
  }
  BenchmarkResult result{
      .name = std::move(found.name), .value = found.value, .unit = std::move(found.unit)};
  if (found.says_better) result.better = found.better;
  out_.results.push_back(std::move(result));
}

BenchmarkResults NameValueParser::Finish() { return std::move(out_); }

}  // namespace regressd::parse
