#include "services/agent/stack_folder.h"

namespace regressd::agent {

void StackFolder::TakeLine(std::string_view line) { Count(reader_.Feed(line)); }

void StackFolder::Finish(bool last_line_complete) { Count(reader_.Finish(last_line_complete)); }

void StackFolder::Count(const parse::PerfScriptSample* sample) {
  if (sample != nullptr) ++counts_[parse::Fold(*sample)];
}

std::vector<std::pair<std::string, std::int64_t>> StackFolder::TakeCounts() {
  std::vector<std::pair<std::string, std::int64_t>> counts(counts_.begin(), counts_.end());
  counts_.clear();
  return counts;
}

}  // namespace regressd::agent
