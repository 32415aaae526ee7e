#include "tests/support/memory_values.h"

#include <string>
#include <vector>

#include "services/analysis/reduce.h"
#include "services/analysis/reduce_observations.h"

namespace regressd::test {
namespace {

using storage::ReducedValues;

void ReduceSamples(std::int32_t source_id, const StoredSource& source, ReducedValues* values) {
  for (std::size_t column = 0; column < source.source.metrics.size(); ++column) {
    const model::Metric& metric = source.source.metrics[column];
    analysis::SeriesReducer reducer(metric);
    for (const auto& [seq, row] : source.rows) {
      if (column < row.ints.size() && row.ints[column]) reducer.AddInt(*row.ints[column]);
      if (column < row.reals.size() && row.reals[column]) reducer.AddDouble(*row.reals[column]);
    }
    if (const auto value = reducer.Value()) {
      values->Add(source_id, source.source.name, metric, *value, reducer.sample_count());
    }
  }
}

void ReduceOperations(std::int32_t source_id, const StoredSource& source, ReducedValues* values) {
  for (std::size_t index = 0; index < source.source.metrics.size(); ++index) {
    std::vector<double> all;
    for (const auto& [seq, observations] : source.observations) {
      if (observations.metric_index != index) continue;
      all.insert(all.end(), observations.values.begin(), observations.values.end());
    }
    for (const auto& reduced : analysis::ReduceObservations(source.source.metrics[index], all)) {
      values->Add(source_id, source.source.name, reduced.metric, reduced.value,
                  reduced.observation_count);
    }
  }
}

}  // namespace

ReducedValues ReduceRun(const StoredRun& run) {
  ReducedValues values;
  for (const auto& [source_id, source] : run.sources) {
    ReduceSamples(source_id, source, &values);
    ReduceOperations(source_id, source, &values);
  }
  return values;
}

}  // namespace regressd::test
