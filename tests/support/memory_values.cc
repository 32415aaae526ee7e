#include "tests/support/memory_values.h"

#include <cmath>

#include "services/analysis/reduce.h"
#include "services/analysis/reduce_observations.h"

namespace regressd::test {
namespace {

using Values = std::map<std::string, storage::RunValue>;

void ReduceSamples(const StoredSource& source, Values* values) {
  for (std::size_t column = 0; column < source.source.metrics.size(); ++column) {
    const model::Metric& metric = source.source.metrics[column];
    analysis::SeriesReducer reducer(metric);
    for (const auto& [seq, row] : source.rows) {
      if (column < row.ints.size() && row.ints[column]) reducer.AddInt(*row.ints[column]);
      if (column < row.reals.size() && row.reals[column]) reducer.AddDouble(*row.reals[column]);
    }
    if (const auto value = reducer.Value(); value && std::isfinite(*value)) {
      values->try_emplace(metric.name, storage::RunValue{metric, *value, reducer.sample_count()});
    }
  }
}

void ReduceOperations(const StoredSource& source, Values* values) {
  for (std::size_t index = 0; index < source.source.metrics.size(); ++index) {
    std::vector<double> all;
    for (const auto& [seq, observations] : source.observations) {
      if (observations.metric_index != index) continue;
      all.insert(all.end(), observations.values.begin(), observations.values.end());
    }
    for (auto& reduced : analysis::ReduceObservations(source.source.metrics[index], all)) {
      if (!std::isfinite(reduced.value)) continue;
      values->try_emplace(reduced.metric.name, storage::RunValue{reduced.metric, reduced.value,
                                                                 reduced.observation_count});
    }
  }
}

}  // namespace

std::vector<storage::RunValue> ReduceRun(const StoredRun& run) {
  Values values;
  for (const auto& [source_id, source] : run.sources) {
    ReduceSamples(source, &values);
    ReduceOperations(source, &values);
  }
  std::vector<storage::RunValue> sorted;
  for (auto& [name, value] : values) {
    value.metric.scale = 1;  // The value is in the metric's unit already.
    sorted.push_back(std::move(value));
  }
  return sorted;
}

}  // namespace regressd::test
