#include "services/report/current_numbers.h"

#include <algorithm>
#include <string_view>

namespace regressd::report {
namespace {

/// Of the head, which is the last column of a regression's block.
const model::Judgement* JudgementOf(const model::ComparisonBlock& block, std::string_view metric) {
  const auto row = std::find_if(block.rows.begin(), block.rows.end(),
                                [&](const model::Row& r) { return r.metric.name == metric; });
  if (row == block.rows.end() || row->cells.empty() || !row->cells.back().judgement) return nullptr;
  const model::Judgement& judgement = *row->cells.back().judgement;
  const bool has_numbers = judgement.base.run_count > 0 || judgement.head.run_count > 0;
  return has_numbers ? &judgement : nullptr;
}

}  // namespace

model::Regression WithNumbersOf(const model::ComparisonBlock& block, model::Regression regression) {
  for (model::RegressionMetric& metric : regression.metrics) {
    const model::Judgement* now = JudgementOf(block, metric.metric.name);
    if (now != nullptr && now->verdict == metric.judgement.verdict) metric.judgement = *now;
  }
  return regression;
}

const model::Judgement* OtherVerdict(const model::Regression& regression,
                                     const model::ComparisonBlock& block) {
  if (regression.metrics.empty()) return nullptr;
  const model::RegressionMetric& headline = regression.metrics.front();
  const model::Judgement* now = JudgementOf(block, headline.metric.name);
  return now != nullptr && now->verdict != headline.judgement.verdict ? now : nullptr;
}

}  // namespace regressd::report
