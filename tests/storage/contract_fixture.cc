#include "tests/storage/contract_fixture.h"

#include <fmt/format.h>

namespace regressd::storage {

model::Time At(std::int64_t micros) {
  using namespace std::chrono;
  return model::Time{sys_days{November / 30 / 2026}} + hours{12} + microseconds{micros};
}

model::RunOutcome EndedAt(model::Time time, std::int32_t exit_status) {
  model::RunOutcome outcome;
  outcome.end_time = time;
  outcome.exit_status = exit_status;
  return outcome;
}

model::Axes AxesOf(std::initializer_list<model::Axis> axes) {
  return model::Axes(std::vector<model::Axis>(axes));
}

model::Metric Gauge(const std::string& name) {
  model::Metric metric;
  metric.name = name;
  return metric;
}

model::Source DoubleSource(std::int32_t source_id, const std::vector<std::string>& metric_names) {
  model::Source source;
  source.source_id = source_id;
  source.name = "result";
  source.content = model::SourceContent::kDoubleSamples;
  for (const std::string& name : metric_names) source.metrics.push_back(Gauge(name));
  return source;
}

model::Commit CommitOf(const std::string& commit_id) {
  model::Commit commit;
  commit.commit_id = commit_id;
  return commit;
}

std::unique_ptr<IngestStore> StoreContractTest::Connect() {
  auto connected = store_->ingest().Connect();
  EXPECT_TRUE(connected.ok()) << connected.status();
  return *std::move(connected);
}

IngestStore& StoreContractTest::ingest() {
  if (!ingest_) ingest_ = Connect();
  return *ingest_;
}

model::RunSpec StoreContractTest::NewSpec(const std::string& commit_id) {
  return NewSpec(commit_id, axes_);
}

model::RunSpec StoreContractTest::NewSpec(const std::string& commit_id, const model::Axes& axes) {
  model::RunSpec spec;
  spec.key = *model::ParseRunUuid(fmt::format("{:08x}-0000-4000-8000-000000000001", ++run_count_));
  spec.axes = axes;
  spec.commit = CommitOf(commit_id);
  spec.start_time = At(run_count_);
  spec.facts.testbox = "lkp-hsw-ep2-1";
  return spec;
}

std::int64_t StoreContractTest::Send(
    const model::RunSpec& spec, const model::Source& source,
    const std::function<std::vector<EncodedBatch>(std::int64_t epoch)>& encode) {
  const auto opened = ingest().OpenRun(spec, "bot");
  EXPECT_TRUE(opened.ok()) << opened.status();
  if (!opened.ok()) return 0;
  const auto declared = ingest().DeclareSource(spec.key.run_id, opened->epoch, source);
  EXPECT_TRUE(declared.ok()) << declared.status();
  const absl::Status committed = ingest().CommitBatches(encode(opened->epoch));
  EXPECT_TRUE(committed.ok()) << committed;
  return opened->epoch;
}

void StoreContractTest::Finish(const model::RunSpec& spec,
                               const std::map<std::string, double>& values,
                               const model::RunOutcome& outcome) {
  store_->PassTime();
  std::vector<std::string> names;
  SampleBatch batch{.first_seq = 1,
                    .times = {spec.start_time},
                    .metric_count = static_cast<std::int32_t>(values.size()),
                    .ints = {},
                    .doubles = {},
                    .missing = {}};
  for (const auto& [name, value] : values) {
    names.push_back(name);
    batch.doubles.push_back(value);
  }
  const std::int64_t epoch =
      Send(spec, DoubleSource(1, names), [&](std::int64_t e) -> std::vector<EncodedBatch> {
        return {EncodeSamples(spec.key.run_id, 1, e, batch)};
      });
  const auto ended = ingest().EndRun(spec.key.run_id, epoch, outcome);
  EXPECT_TRUE(ended.ok()) << ended.status();
}

model::RunSpec StoreContractTest::FinishNew(const std::string& commit_id, double value) {
  model::RunSpec spec = NewSpec(commit_id);
  Finish(spec, {{"m", value}});
  return spec;
}

std::vector<SamplePart> StoreContractTest::ReadAll(std::int64_t run_id,
                                                   const std::vector<std::string>& metrics,
                                                   const TimeRange& range) {
  std::map<std::pair<std::string, std::int32_t>, SamplePart> joined;
  const absl::Status status = runs().ReadSamples(run_id, metrics, range, [&](SamplePart part) {
    SamplePart& whole = joined[{part.metric.name, part.source_id}];
    whole.metric = part.metric;
    whole.source_id = part.source_id;
    whole.samples.insert(whole.samples.end(), part.samples.begin(), part.samples.end());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  std::vector<SamplePart> parts;
  for (auto& [key, part] : joined) parts.push_back(std::move(part));
  return parts;
}

void StoreContractTest::AddCommit(const std::string& commit_id,
                                  const std::vector<std::string>& parent_ids) {
  store_->PassTime();
  model::Commit commit = CommitOf(commit_id);
  commit.parent_ids = parent_ids;
  commit.root = parent_ids.empty();
  const auto added = commits().AddCommits(std::vector{commit}, "bot");
  EXPECT_TRUE(added.ok()) << added.status();
}

std::vector<std::string> StoreContractTest::Pairs(const std::string& commit_id) {
  const auto pairs = regressions().PairsOf({.axes_id = axes_.Id(), .commit_id = commit_id});
  EXPECT_TRUE(pairs.ok()) << pairs.status();
  std::vector<std::string> texts;
  for (const auto& pair : *pairs) {
    texts.push_back(pair.base_commit_id + ".." + pair.head_commit_id);
  }
  return texts;
}

int StoreContractTest::ProcessAll(
    const std::function<absl::StatusOr<std::vector<Detection>>(const DueGroup&)>& judge) {
  for (int count = 0;; ++count) {
    const auto processed = regressions().ProcessOneDue(judge);
    EXPECT_TRUE(processed.ok()) << processed.status();
    if (!processed.ok() || !*processed) return count;
  }
}

void StoreContractTest::JudgeAll() {
  ProcessAll([this](const DueGroup& group) -> absl::StatusOr<std::vector<Detection>> {
    const auto pairs = regressions().PairsOf(group);
    if (!pairs.ok()) return pairs.status();
    std::vector<Detection> detections;
    for (const auto& pair : *pairs) {
      detections.push_back({.axes_id = group.axes_id,
                            .base_commit_id = pair.base_commit_id,
                            .head_commit_id = pair.head_commit_id,
                            .regression = std::nullopt});
    }
    return detections;
  });
}

}  // namespace regressd::storage
