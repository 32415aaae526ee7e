#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "services/model/run.h"
#include "storage/ingest_store.h"

namespace regressd::test {

/// What agents send, in small: run `number` of one run group, and batches whose values say where
/// they belong.

/// 2026-11-30T12:00:00Z and `seconds` later.
model::Time At(std::int64_t seconds);

/// Each number gives another UUID; all have the same axes and commit.
model::RunSpec RunSpecOf(int number);
/// A source of integers: gauges "<name>.a", "<name>.b", ...
model::Source IntSource(std::int32_t source_id, const std::string& name, int metric_count);

/// Sample `seq` of column k is seq * 100 + k, at At(seq).
storage::SampleBatch SamplesOf(std::int64_t first_seq, std::int64_t sample_count,
                               std::int32_t metric_count);
storage::EncodedBatch EncodedSamples(std::int64_t run_id, std::int32_t source_id,
                                     std::int64_t epoch, std::int64_t first_seq,
                                     std::int64_t sample_count = 1, std::int32_t metric_count = 2);

/// A command that exited with `exit_status` at At(100).
model::RunOutcome OutcomeOf(std::int32_t exit_status);

}  // namespace regressd::test
