#include "services/analysis/blocks.h"
#include "services/model/catalog.h"

namespace regressd::analysis {
namespace {

// A result of the workload itself, not GNU time around it.
bool IsOwnResult(std::string_view metric, std::string_view testcase) {
  return !testcase.empty() && metric.size() > testcase.size() + 1 && metric.starts_with(testcase) &&
         metric[testcase.size()] == '.' &&
         metric.find(".time.", testcase.size()) == std::string_view::npos;
}

// A difference of two totals, a sum or a maximum of counts moves by whole steps; a mean does not.
double QuantumOf(const model::Metric& metric) {
  const bool is_count =
      metric.kind == model::MetricKind::kCounter || metric.kind == model::MetricKind::kDelta;
  return is_count && metric.reduction != model::Reduction::kMean ? metric.scale : 0;
}

}  // namespace

MetricTraits TraitsOf(const model::Metric& metric, std::string_view testcase) {
  const model::CatalogEntry entry = model::Lookup(metric.name);
  MetricTraits traits;
  traits.better = metric.better;
  const bool own_result = IsOwnResult(metric.name, testcase);
  traits.headline = (own_result || entry.headline) && traits.better != model::Better::kNeither;
  // Symbols of a profile are many and come and go: detection.md a.6 puts them into the third
  // family.
  traits.catalogued = entry.known && !metric.name.starts_with("perf-profile.");
  traits.min_relative_change = entry.min_relative_change;
  if (traits.headline && !entry.known) traits.min_relative_change = 0.01;
  traits.min_absolute_change = entry.min_absolute_change;
  traits.min_level = entry.min_level;
  traits.quantum = QuantumOf(metric);
  return traits;
}

}  // namespace regressd::analysis
