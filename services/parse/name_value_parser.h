#pragma once

#include <string>

#include "services/parse/benchmark_results.h"

namespace regressd::parse {

/// Reads lines "name value [unit] [higher|lower|neither]" (ParseNameValue). Fails on a line that
/// looks like one and whose value is no number.
class NameValueParser final : public BenchmarkParser {
 public:
  void Feed(const InputLine& line) override;
  BenchmarkResults Finish() override;

 private:
  BenchmarkResults out_;
};

}  // namespace regressd::parse
