#include "tests/support/ingest_builders.h"

#include <fmt/format.h>

namespace regressd::test {

model::Time At(std::int64_t seconds) {
  using namespace std::chrono;
  return sys_days{2026y / November / 30} + hours{12} + std::chrono::seconds{seconds};
}

model::RunSpec RunSpecOf(int number) {
  model::RunSpec spec;
  spec.key = *model::ParseRunUuid(fmt::format("0a1b2c3d-0000-4000-8000-{:012x}", number));
  spec.axes.Set("testcase", "vm-scalability");
  spec.axes.Set("tbox_group", "lkp-hsw-ep2");
  spec.axes.Set("test", "swap-w-seq");
  spec.commit.commit_id = "0123456789abcdef0123456789abcdef01234567";
  spec.commit.subject = "mm: swap: do it faster";
  spec.facts.testbox = "lkp-hsw-ep2-1";
  spec.facts.cpu_count = 72;
  spec.start_time = At(0);
  spec.command = {"vm-scalability", "--nr_task", "8"};
  spec.agent_version = "0.1.0";
  spec.monitor_notes = {{"perf-stat", "no PMU"}};
  return spec;
}

model::Source IntSource(std::int32_t source_id, const std::string& name, int metric_count) {
  model::Source source;
  source.source_id = source_id;
  source.name = name;
  source.content = model::SourceContent::kIntSamples;
  source.period_us = 1'000'000;
  for (int k = 0; k < metric_count; ++k) {
    model::Metric metric;
    metric.name = fmt::format("{}.{}", name, static_cast<char>('a' + k));
    source.metrics.push_back(metric);
  }
  return source;
}

storage::SampleBatch SamplesOf(std::int64_t first_seq, std::int64_t sample_count,
                               std::int32_t metric_count) {
  storage::SampleBatch batch;
  batch.first_seq = first_seq;
  batch.metric_count = metric_count;
  for (std::int64_t seq = first_seq; seq < first_seq + sample_count; ++seq) {
    batch.times.push_back(At(seq));
    for (std::int32_t k = 0; k < metric_count; ++k) batch.ints.push_back(seq * 100 + k);
  }
  return batch;
}

storage::EncodedBatch EncodedSamples(std::int64_t run_id, std::int32_t source_id,
                                     std::int64_t epoch, std::int64_t first_seq,
                                     std::int64_t sample_count, std::int32_t metric_count) {
  return storage::EncodeSamples(run_id, source_id, epoch,
                                SamplesOf(first_seq, sample_count, metric_count));
}

model::RunOutcome OutcomeOf(std::int32_t exit_status) {
  model::RunOutcome outcome;
  outcome.end_time = At(100);
  outcome.exit_status = exit_status;
  return outcome;
}

}  // namespace regressd::test
