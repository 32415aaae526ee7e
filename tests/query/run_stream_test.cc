#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>

#include "tests/query/query_fixture.h"

namespace regressd::test {
namespace {

using testing::ElementsAre;

constexpr int kManySamples = 20000;

// Opens a run and returns its ingest store; the batches follow.
class RunStreamTest : public QueryTest {
 protected:
  RunStreamTest() {
    model::RunSpec spec;
    spec.key = *model::ParseRunUuid(UuidOf(1));
    spec.axes = RunDraft().axes;
    spec.commit.commit_id = "base";
    run_id_ = spec.key.run_id;
    ingest_ = *store_.Connect();
    epoch_ = ingest_->OpenRun(spec, "test")->epoch;
  }

  void Declare(std::int32_t source_id, model::SourceContent content, const model::Metric& metric) {
    model::Source source;
    source.source_id = source_id;
    source.name = "source";
    source.content = content;
    source.metrics = {metric};
    ASSERT_TRUE(ingest_->DeclareSource(run_id_, epoch_, source).ok());
  }

  void Commit(const storage::EncodedBatch& batch) {
    const absl::Status status = ingest_->CommitBatches({&batch, 1});
    ASSERT_TRUE(status.ok()) << status;
  }

  std::int64_t run_id_ = 0;
  std::int64_t epoch_ = 0;
  std::unique_ptr<storage::IngestStore> ingest_;
};

TEST_F(RunStreamTest, SamplesKeepTimeNumberAndTheExactInteger) {
  // 2^64 - 2: a running total beyond both 2^63 and the 2^53 of a double.
  Declare(1, model::SourceContent::kIntSamples,
          {.name = "proc-vmstat.pgfault",
           .unit = "",
           .kind = model::MetricKind::kCounter,
           .better = model::Better::kNeither,
           .reduction = model::Reduction::kDelta,
           .scale = 1});
  storage::SampleBatch batch;
  batch.first_seq = 1;
  batch.times = {ManualClock::kStart, ManualClock::kStart + std::chrono::microseconds(1500001)};
  batch.metric_count = 1;
  batch.ints = {-2, 0};
  batch.missing = {false, true};
  Commit(storage::EncodeSamples(run_id_, 1, epoch_, batch));

  grpc::ClientContext context;
  v1::ReadSamplesRequest request;
  request.set_run_uuid(UuidOf(1));
  request.add_metrics("proc-vmstat.pgfault");
  const auto reader = runs_->ReadSamples(&context, request);
  v1::ReadSamplesResponse response;
  std::vector<v1::Sample> samples;
  while (reader->Read(&response)) {
    EXPECT_EQ(response.metric().name(), "proc-vmstat.pgfault");
    samples.insert(samples.end(), response.samples().begin(), response.samples().end());
  }
  const grpc::Status status = reader->Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].exact_value(), "18446744073709551614");
  EXPECT_EQ(samples[0].sample_time().seconds(), 1767225600);  // date -u -d 2026-01-01 +%s
  EXPECT_FALSE(samples[1].has_value());
  EXPECT_EQ(samples[1].exact_value(), "");
  EXPECT_EQ(samples[1].seq(), 2);
  EXPECT_EQ(samples[1].sample_time().seconds(), 1767225601);
  EXPECT_EQ(samples[1].sample_time().nanos(), 500001000);
}

TEST_F(RunStreamTest, ManySamplesComeInPartsBelowOneMebibyteAndNoneIsLost) {
  Declare(1, model::SourceContent::kDoubleSamples, {.name = "vmstat.cpu.us", .unit = "%"});
  storage::SampleBatch batch;
  batch.first_seq = 1;
  batch.metric_count = 1;
  for (int i = 0; i < kManySamples; ++i) {
    batch.times.push_back(ManualClock::kStart + std::chrono::seconds(i));
    batch.doubles.push_back(i);
  }
  Commit(storage::EncodeSamples(run_id_, 1, epoch_, batch));

  grpc::ClientContext context;
  v1::ReadSamplesRequest request;
  request.set_run_uuid(UuidOf(1));
  request.add_metrics("vmstat.cpu.us");
  const auto reader = runs_->ReadSamples(&context, request);
  v1::ReadSamplesResponse response;
  std::int64_t next_seq = 1;
  while (reader->Read(&response)) {
    EXPECT_LE(response.ByteSizeLong(), 1u << 20);
    for (const v1::Sample& sample : response.samples()) EXPECT_EQ(sample.seq(), next_seq++);
  }
  ASSERT_TRUE(reader->Finish().ok());
  EXPECT_EQ(next_seq, kManySamples + 1);
}

TEST_F(RunStreamTest, SamplesNeedAMetricThatTheRunHas) {
  Declare(1, model::SourceContent::kDoubleSamples, {.name = "vmstat.cpu.us", .unit = "%"});
  const auto read = [this](const std::vector<std::string>& metrics) {
    grpc::ClientContext context;
    v1::ReadSamplesRequest request;
    request.set_run_uuid(UuidOf(1));
    request.mutable_metrics()->Add(metrics.begin(), metrics.end());
    const auto reader = runs_->ReadSamples(&context, request);
    v1::ReadSamplesResponse response;
    while (reader->Read(&response)) {
    }
    return reader->Finish();
  };
  EXPECT_EQ(BadFields(read({})), "metrics");
  const grpc::Status status = read({"vmstat.cpu.uss"});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("vmstat.cpu.us"));
}

TEST_F(RunStreamTest, StacksComeWithTheMostFrequentFirst) {
  Declare(2, model::SourceContent::kStacks, {.name = "cpu-clock", .unit = ""});
  const std::vector<std::string> folded = {"a;rare", "a;often"};
  ASSERT_TRUE(ingest_->AddStacks(run_id_, folded).ok());
  storage::StackCounts counts;
  counts.seq = 1;
  counts.begin_time = ManualClock::kStart;
  counts.duration_us = 1000000;
  counts.stack_hashes = {model::Hash63(folded[0]), model::Hash63(folded[1])};
  counts.counts = {2, 40};
  Commit(storage::EncodeStacks(run_id_, 2, epoch_, counts));

  grpc::ClientContext context;
  v1::ReadStacksRequest request;
  request.set_run_uuid(UuidOf(1));
  const auto reader = runs_->ReadStacks(&context, request);
  v1::ReadStacksResponse response;
  ASSERT_TRUE(reader->Read(&response));
  ASSERT_EQ(response.stacks_size(), 2);
  EXPECT_EQ(response.stacks(0).folded(), "a;often");
  EXPECT_EQ(response.stacks(0).count(), 40);
  EXPECT_EQ(response.stacks(0).event(), "cpu-clock");
  EXPECT_EQ(response.stacks(1).folded(), "a;rare");
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(RunStreamTest, ObservationsKeepTheOrderOfTheOperations) {
  Declare(3, model::SourceContent::kObservations, {.name = "sparsetruncate.latency", .unit = "us"});
  for (std::int64_t seq = 1; seq <= 2; ++seq) {
    storage::Observations observations;
    observations.seq = seq;
    observations.values.assign(70000, static_cast<double>(seq));
    Commit(storage::EncodeObservations(run_id_, 3, epoch_, observations));
  }
  grpc::ClientContext context;
  v1::ReadObservationsRequest request;
  request.set_run_uuid(UuidOf(1));
  request.set_metric("sparsetruncate.latency");
  const auto reader = runs_->ReadObservations(&context, request);
  v1::ReadObservationsResponse response;
  std::vector<double> values;
  while (reader->Read(&response)) {
    EXPECT_LE(response.ByteSizeLong(), 1u << 20);
    values.insert(values.end(), response.values().begin(), response.values().end());
  }
  ASSERT_TRUE(reader->Finish().ok());
  ASSERT_EQ(values.size(), 140000u);
  EXPECT_EQ(values[69999], 1);
  EXPECT_EQ(values[70000], 2);
}

TEST_F(RunStreamTest, AReaderThatGoesAwayEndsTheCall) {
  Declare(1, model::SourceContent::kDoubleSamples, {.name = "vmstat.cpu.us", .unit = "%"});
  storage::SampleBatch batch;
  batch.first_seq = 1;
  batch.metric_count = 1;
  for (int i = 0; i < kManySamples; ++i) {
    batch.times.push_back(ManualClock::kStart + std::chrono::seconds(i));
    batch.doubles.push_back(i);
  }
  Commit(storage::EncodeSamples(run_id_, 1, epoch_, batch));
  grpc::ClientContext context;
  v1::ReadSamplesRequest request;
  request.set_run_uuid(UuidOf(1));
  request.add_metrics("vmstat.cpu.us");
  const auto reader = runs_->ReadSamples(&context, request);
  v1::ReadSamplesResponse response;
  ASSERT_TRUE(reader->Read(&response));
  context.TryCancel();
  while (reader->Read(&response)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

}  // namespace
}  // namespace regressd::test
