#include "services/analysis/absent_shares.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regressd::analysis {
namespace {

using Metrics = std::map<std::string, model::Metric>;  // By name.

/// "cycles-pp" of perf-profile.self.cycles-pp.clear_page; empty for another metric.
std::string_view EventOfShare(std::string_view name) {
  for (const std::string_view prefix :
       {"perf-profile.calltrace.", "perf-profile.children.", "perf-profile.self."}) {
    if (name.starts_with(prefix))
      return name.substr(prefix.size(), name.find('.', prefix.size()) - prefix.size());
  }
  return {};
}

/// The runs of a group that have a profile, by its event.
std::map<std::string_view, std::set<std::int32_t>> ProfiledRuns(const model::RunGroup& group) {
  std::map<std::string_view, std::set<std::int32_t>> runs;
  for (const model::MetricValues& metric : group.metrics) {
    const std::string_view event = EventOfShare(metric.metric.name);
    if (!event.empty()) runs[event].insert(metric.run_index.begin(), metric.run_index.end());
  }
  return runs;
}

model::MetricValues WithZeroes(const model::MetricValues& known,
                               const std::set<std::int32_t>& runs) {
  model::MetricValues filled{.metric = known.metric, .values = {}, .run_index = {}};
  std::map<std::int32_t, double> values;
  for (const std::int32_t run : runs) values[run] = 0;
  for (std::size_t i = 0; i < known.values.size(); ++i)
    values[known.run_index[i]] = known.values[i];
  for (const auto& [run, value] : values) {
    filled.run_index.push_back(run);
    filled.values.push_back(value);
  }
  return filled;
}

void Fill(const Metrics& shares, model::RunGroup* group) {
  const auto profiled = ProfiledRuns(*group);
  std::map<std::string, model::MetricValues> by_name;
  for (model::MetricValues& metric : group->metrics) {
    by_name.emplace(metric.metric.name, metric);  // A copy: `profiled` has views of the names.
  }
  for (const auto& [name, metric] : shares) {
    const auto runs = profiled.find(EventOfShare(name));
    if (runs == profiled.end()) continue;
    model::MetricValues& values = by_name[name];
    if (values.values.empty()) values.metric = metric;
    values = WithZeroes(values, runs->second);
  }
  group->metrics.clear();
  for (auto& [name, metric] : by_name) group->metrics.push_back(std::move(metric));
}

}  // namespace

void FillAbsentShares(std::span<model::RunGroup> groups) {
  Metrics shares;
  for (const model::RunGroup& group : groups) {
    for (const model::MetricValues& metric : group.metrics) {
      if (!EventOfShare(metric.metric.name).empty())
        shares.emplace(metric.metric.name, metric.metric);
    }
  }
  if (shares.empty()) return;
  for (model::RunGroup& group : groups) Fill(shares, &group);
}

}  // namespace regressd::analysis
