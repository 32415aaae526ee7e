// Samples that came as blocks are read as those that came as rows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/codec/block.h"
#include "tests/storage/contract_fixture.h"
#include "tests/support/nouns_of.h"

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

using BlockContractTest = StoreContractTest;

/// A block of metrics a, b (b from the second block on) whose values are `rows`, one a second.
EncodedBatch BlockOf(const model::RunSpec& spec, std::int64_t epoch, std::int64_t first_seq,
                     const std::vector<std::vector<std::optional<std::int64_t>>>& rows) {
  std::vector<std::int64_t> times_us;
  std::vector<std::uint64_t> values;
  std::vector<std::uint8_t> missing;
  for (const auto& row : rows) {
    times_us.push_back((first_seq + static_cast<std::int64_t>(times_us.size())) * 1'000'000 + 7);
    for (const auto& value : row) {
      values.push_back(static_cast<std::uint64_t>(value.value_or(0)));
      missing.push_back(value ? 0 : 1);
    }
  }
  const codec::BlockShape shape{.sample_count = rows.size(),
                                .metric_count = rows[0].size(),
                                .begin_us = times_us[0],
                                .period_us = 1'000'000};
  const std::string payload =
      codec::EncodeBlock(shape, {.times_us = times_us, .values = values, .missing = missing});
  return EncodeBlock(spec.key.run_id, 1, epoch,
                     {.first_seq = first_seq,
                      .sample_count = static_cast<std::int32_t>(rows.size()),
                      .metric_count = static_cast<std::int32_t>(rows[0].size()),
                      .begin_time = At(times_us[0]),
                      .period_us = 1'000'000,
                      .codec = 1,
                      .payload = payload});
}

TEST_F(BlockContractTest, BlocksAndRowsMakeOneSeries) {
  model::Source source;
  source.source_id = 1;
  source.name = "proc";
  source.content = model::SourceContent::kIntSamples;
  source.metrics = {Gauge("a"), Gauge("b")};
  source.metrics[0].kind = model::MetricKind::kCounter;
  source.metrics[0].reduction = model::Reduction::kDelta;
  const model::RunSpec spec = NewSpec("abc");
  const std::int64_t epoch = Send(spec, source, [&](std::int64_t e) -> std::vector<EncodedBatch> {
    return {BlockOf(spec, e, 1, {{10}, {11}, {13}}),
            EncodeSamples(spec.key.run_id, 1, e,
                          {.first_seq = 4,
                           .times = {At(4'000'007)},
                           .metric_count = 2,
                           .ints = {20, 5},
                           .doubles = {},
                           .missing = {}}),
            BlockOf(spec, e, 5, {{std::nullopt, 6}, {-1, 10}})};
  });
  const auto parts = ReadAll(spec.key.run_id, {"a", "b"});
  ASSERT_THAT(parts, SizeIs(2));
  std::vector<std::optional<std::int64_t>> a;
  for (const Sample& sample : parts[0].samples) {
    a.push_back(sample.stored_int);
    EXPECT_EQ(sample.time, At(sample.seq * 1'000'000 + 7));
    EXPECT_EQ(sample.seq, static_cast<std::int64_t>(a.size()));
  }
  EXPECT_THAT(a, ElementsAre(10, 11, 13, 20, std::nullopt, -1));
  // A counter's -1 is the bit pattern of 2^64 - 1.
  EXPECT_EQ(parts[0].samples[5].value, 18446744073709551616.0);
  std::vector<std::optional<double>> b;
  for (const Sample& sample : parts[1].samples) b.push_back(sample.value);
  EXPECT_THAT(b, ElementsAre(std::nullopt, std::nullopt, std::nullopt, 5, 6, 10));

  ASSERT_TRUE(ingest().EndRun(spec.key.run_id, epoch, EndedAt(At(9'000'000))).ok());
  const auto values = test::NounsOf(runs().ListRunValues(spec.key.run_id));
  ASSERT_THAT(values, SizeIs(2));
  EXPECT_EQ(values[0].value, 18446744073709551605.0);  // 2^64 - 1 - 10
  EXPECT_EQ(values[0].sample_count, 5);
  EXPECT_EQ(values[1].value, 7);
  EXPECT_EQ(values[1].sample_count, 3);
}

TEST_F(BlockContractTest, ALongSeriesComesInParts) {
  const model::RunSpec spec = NewSpec("abc");
  model::Source source;
  source.source_id = 1;
  source.name = "proc";
  source.content = model::SourceContent::kIntSamples;
  source.metrics = {Gauge("a")};
  constexpr std::int64_t kBlocks = 40;
  constexpr std::int64_t kRows = 4100;
  Send(spec, source, [&](std::int64_t e) {
    std::vector<EncodedBatch> batches;
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      batches.push_back(BlockOf(spec, e, 2 * i + 1, {{2 * i + 1}, {2 * i + 2}}));
    }
    for (std::int64_t seq = 2 * kBlocks + 1; seq <= 2 * kBlocks + kRows; ++seq) {
      batches.push_back(EncodeSamples(spec.key.run_id, 1, e,
                                      {.first_seq = seq,
                                       .times = {At(seq * 1'000'000 + 7)},
                                       .metric_count = 1,
                                       .ints = {seq},
                                       .doubles = {},
                                       .missing = {}}));
    }
    return batches;
  });
  std::int64_t next = 1;
  const std::vector<std::string> names{"a"};
  const auto take = [&](const SamplePart& part) {
    for (const Sample& sample : part.samples) {
      EXPECT_EQ(sample.seq, next);
      EXPECT_EQ(sample.stored_int, next);
      ++next;
    }
    return absl::OkStatus();
  };
  ASSERT_TRUE(runs().ReadSamples(spec.key.run_id, names, {}, take).ok());
  EXPECT_EQ(next, 2 * kBlocks + kRows + 1);
  // Of a range in the middle of two blocks.
  next = 4;
  ASSERT_TRUE(
      runs()
          .ReadSamples(spec.key.run_id, names, {.begin = At(4'000'000), .end = At(7'000'000)}, take)
          .ok());
  EXPECT_EQ(next, 7);
}

}  // namespace
}  // namespace regressd::storage
