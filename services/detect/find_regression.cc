#include "services/detect/find_regression.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include "services/analysis/blocks.h"
#include "services/report/render_mail.h"

namespace regressd::detect {
namespace {

using model::Verdict;

// A changed metric and what it is ordered by.
struct Ranked {
  const model::Row* row = nullptr;
  const model::Judgement* judgement = nullptr;
  bool headline = false;
  double severity = 0;
};

// Smaller comes first.
int RankOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return 0;
    case Verdict::kMixed:
      return 1;
    case Verdict::kImprovement:
      return 2;
    default:
      return 3;
  }
}

bool IsChange(Verdict verdict) {
  return verdict != Verdict::kUnchanged && verdict != Verdict::kInconclusive;
}

double SeverityOf(const model::Judgement& judgement, bool headline) {
  // What came out of nothing has no percentage. It counts as much as what became nothing: 100 %.
  const double relative = std::abs(judgement.relative_change.value_or(1));
  const double least = std::max(judgement.min_relative_change, 0.001);
  return relative / least * (headline ? 2 : 1);
}

std::vector<Ranked> ChangedMetrics(const model::ComparisonBlock& block) {
  const std::string_view testcase = block.axes.Find("testcase").value_or("");
  std::vector<Ranked> changed;
  for (const model::Row& row : block.rows) {
    const auto& judgement = row.cells[1].judgement;
    if (!judgement || !IsChange(judgement->verdict)) continue;
    const bool headline = analysis::TraitsOf(row.metric, testcase).headline;
    changed.push_back({&row, &*judgement, headline, SeverityOf(*judgement, headline)});
  }
  // The name last, so that the order never depends on anything else.
  std::sort(changed.begin(), changed.end(), [](const Ranked& a, const Ranked& b) {
    return std::tuple(RankOf(a.judgement->verdict), -a.severity,
                      std::string_view(a.row->metric.name)) <
           std::tuple(RankOf(b.judgement->verdict), -b.severity,
                      std::string_view(b.row->metric.name));
  });
  return changed;
}

}  // namespace

std::optional<model::Regression> FindRegression(const model::ComparisonBlock& block) {
  if (block.columns.size() < 2) return std::nullopt;
  std::vector<Ranked> changed = ChangedMetrics(block);
  // Regressions come first, so the first of all is one if there is any.
  if (changed.empty() || changed.front().judgement->verdict != Verdict::kRegression) {
    return std::nullopt;
  }
  const auto headline = std::find_if(changed.begin(), changed.end(), [](const Ranked& metric) {
    return metric.headline && metric.judgement->verdict == Verdict::kRegression;
  });
  if (headline != changed.end()) std::rotate(changed.begin(), headline, headline + 1);

  model::Regression regression;
  regression.axes = block.axes;
  regression.base = block.columns[0].commit;
  regression.head = block.columns[1].commit;
  regression.facts = block.columns[1].facts;
  for (const Ranked& metric : changed) {
    regression.metrics.push_back({metric.row->metric, *metric.judgement});
  }
  regression.headline_metric = regression.metrics.front().metric.name;
  regression.title = report::Title(regression.metrics.front());
  return regression;
}

}  // namespace regressd::detect
