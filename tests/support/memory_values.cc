#include "tests/support/memory_values.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "services/analysis/profile_shares.h"
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

void ReduceStacks(const StoredRun& run, const StoredSource& source, ReducedValues* values) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const auto& [seq, stacks] : source.stacks) {
    for (const auto& [hash, count] : stacks.counts) counts[hash] += count;
  }
  analysis::ProfileShares profile;
  for (const auto& [hash, count] : counts) {
    const auto folded = run.folded.find(hash);
    if (folded != run.folded.end()) profile.Add(folded->second, static_cast<double>(count));
  }
  values->AddProfile(source.source.source_id, source.source.name, source.source.metrics.front(),
                     profile);
}

}  // namespace

ReducedValues ReduceRun(const StoredRun& run) {
  ReducedValues values;
  for (const auto& [source_id, source] : run.sources) {
    if (source.source.content == model::SourceContent::kStacks) {
      ReduceStacks(run, source, &values);
      continue;
    }
    ReduceSamples(source_id, source, &values);
    ReduceOperations(source_id, source, &values);
  }
  return values;
}

}  // namespace regressd::test
