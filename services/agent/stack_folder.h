#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/parse/perf_script.h"

namespace regressd::agent {

/// Adds up the samples of `perf script` by their folded stack. One thread.
class StackFolder {
 public:
  void TakeLine(std::string_view line);
  void Finish(bool last_line_complete = true);

  /// Each stack once, with its samples; leaves nothing behind.
  std::vector<std::pair<std::string, std::int64_t>> TakeCounts();
  parse::Problems TakeProblems() { return reader_.TakeProblems(); }

 private:
  void Count(const parse::PerfScriptSample* sample);

  parse::PerfScriptReader reader_;
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace regressd::agent
