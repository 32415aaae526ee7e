#include "storage/copy_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/support/copy_decoder.h"

namespace regressd::storage {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::Optional;
using testing::SizeIs;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

model::Time At(std::int64_t us) { return model::Time(microseconds(us)); }

TEST(CopyBinaryTest, WritesTheBytesThatPostgresWrites) {
  // PostgreSQL 15: COPY (SELECT 7::int8, 2::int4, 3::int8, '2000-01-01 00:00:01+00'::timestamptz,
  // '{5,NULL}'::int8[], NULL::float8[]) TO STDOUT (FORMAT binary), after the 19 bytes of header.
  SampleBatch batch;
  batch.first_seq = 3;
  batch.times = {At(946684801000000)};
  batch.metric_count = 2;
  batch.ints = {5, 5};
  batch.missing = {false, true};
  const unsigned char expected[] = {
      0,    6,                                                  // columns
      0,    0,    0,    8,    0, 0, 0, 0, 0, 0,    0,    7,     // run_id
      0,    0,    0,    4,    0, 0, 0, 2,                       // source_id
      0,    0,    0,    8,    0, 0, 0, 0, 0, 0,    0,    3,     // seq
      0,    0,    0,    8,    0, 0, 0, 0, 0, 0x0f, 0x42, 0x40,  // 1 s after 2000-01-01
      0,    0,    0,    36,                                     // ints
      0,    0,    0,    1,    0, 0, 0, 1, 0, 0,    0,    20,   0, 0, 0, 2,
      0,    0,    0,    1,    0, 0, 0, 8, 0, 0,    0,    0,    0, 0, 0, 5,  // 5
      0xff, 0xff, 0xff, 0xff,                                               // NULL
      0xff, 0xff, 0xff, 0xff,                                               // reals: NULL
  };
  const EncodedBatch encoded = EncodeSamples(7, 2, 1, batch);
  EXPECT_EQ(encoded.tuples, std::string(reinterpret_cast<const char*>(expected), sizeof(expected)));
  EXPECT_EQ(CopyHeader().size(), 19U);
  EXPECT_EQ(CopyTrailer(), "\xff\xff");
}

TEST(CopyBinaryTest, KeepsIntegersOfTheWholeRangeAndTheirTimes) {
  SampleBatch batch;
  batch.first_seq = 11;
  batch.times = {At(1), At(kMax / 2)};
  batch.metric_count = 2;
  batch.ints = {kMin, -1, kMax, 0};
  const EncodedBatch encoded = EncodeSamples(kMax, 1000, 5, batch);
  EXPECT_EQ(encoded.kind, EncodedBatch::Kind::kSamples);
  EXPECT_EQ(encoded.first_seq, 11);
  EXPECT_EQ(encoded.last_seq, 12);
  EXPECT_EQ(encoded.epoch, 5);

  const auto rows = test::DecodeSampleTuples(encoded.tuples);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].run_id, kMax);
  EXPECT_EQ((*rows)[0].source_id, 1000);
  EXPECT_EQ((*rows)[0].seq, 11);
  EXPECT_EQ((*rows)[0].time, At(1));
  EXPECT_THAT((*rows)[0].ints, Optional(ElementsAre(kMin, -1)));
  EXPECT_EQ((*rows)[1].seq, 12);
  EXPECT_EQ((*rows)[1].time, At(kMax / 2));
  EXPECT_THAT((*rows)[1].ints, Optional(ElementsAre(kMax, 0)));
  EXPECT_EQ((*rows)[1].reals, std::nullopt);
}

TEST(CopyBinaryTest, AMissingValueIsNullAndNeverZero) {
  SampleBatch batch;
  batch.first_seq = 1;
  batch.times = {At(0), At(1)};
  batch.metric_count = 2;
  batch.doubles = {0.1, 0, -0.0, 1e308};
  batch.missing = {false, true, false, false};
  const auto rows = test::DecodeSampleTuples(EncodeSamples(1, 1, 1, batch).tuples);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT((*rows)[0].reals, Optional(ElementsAre(0.1, std::nullopt)));
  EXPECT_THAT((*rows)[1].reals, Optional(ElementsAre(-0.0, 1e308)));
  EXPECT_TRUE(std::signbit(*(*(*rows)[1].reals)[0]));
  EXPECT_EQ((*rows)[0].ints, std::nullopt);
}

TEST(CopyBinaryTest, AgreesWithTheObviousDecoderOnRandomBatches) {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 200; ++round) {
    SampleBatch batch;
    batch.first_seq = static_cast<std::int64_t>(random() % 1000) + 1;
    batch.metric_count = static_cast<std::int32_t>(random() % 20) + 1;
    const std::size_t row_count = random() % 10 + 1;
    for (std::size_t i = 0; i < row_count; ++i) {
      batch.times.push_back(At(static_cast<std::int64_t>(random() >> 2)));
    }
    const std::size_t entry_count = row_count * static_cast<std::size_t>(batch.metric_count);
    for (std::size_t i = 0; i < entry_count; ++i) {
      batch.ints.push_back(static_cast<std::int64_t>(random()));
      if (round % 2 == 0) batch.missing.push_back(random() % 3 == 0);
    }
    const auto rows = test::DecodeSampleTuples(EncodeSamples(9, 8, 7, batch).tuples);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ(rows->size(), row_count);
    for (std::size_t i = 0; i < entry_count; ++i) {
      const std::size_t columns = static_cast<std::size_t>(batch.metric_count);
      const auto stored = (*(*rows)[i / columns].ints)[i % columns];
      const bool missing = !batch.missing.empty() && batch.missing[i];
      ASSERT_EQ(stored, missing ? std::nullopt : std::optional(batch.ints[i]));
    }
  }
}

TEST(CopyBinaryTest, KeepsBlocksByteForByte) {
  const std::string payload("\0\377\n\\x", 5);
  const EncodedBatch batch = EncodeBlock(1, 2, 3,
                                         {.first_seq = 4,
                                          .sample_count = 60,
                                          .metric_count = 250,
                                          .begin_time = At(5),
                                          .period_us = 1'000'000,
                                          .codec = 1,
                                          .payload = payload});
  EXPECT_EQ(batch.first_seq, 4);
  EXPECT_EQ(batch.last_seq, 63);
  const auto rows = test::DecodeBlockTuples(batch.tuples);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_THAT(*rows, SizeIs(1));
  const test::BlockTuple& row = rows->front();
  EXPECT_EQ(row.run_id, 1);
  EXPECT_EQ(row.source_id, 2);
  EXPECT_EQ(row.seq, 4);
  EXPECT_EQ(row.begin_time, At(5));
  EXPECT_EQ(row.period_us, 1'000'000);
  EXPECT_EQ(row.sample_count, 60);
  EXPECT_EQ(row.metric_count, 250);
  EXPECT_EQ(row.codec, 1);
  EXPECT_EQ(row.payload, payload);
}

TEST(CopyBinaryTest, KeepsStacks) {
  const StackCounts counts = {.seq = 4,
                              .begin_time = At(1700000000000001),
                              .duration_us = 1000000,
                              .stack_hashes = {kMax, 1},
                              .counts = {3, kMax}};
  const auto rows = test::DecodeStackTuples(EncodeStacks(1, 2, 3, counts).tuples);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[1].seq, 4);
  EXPECT_EQ((*rows)[0].stack_hash, kMax);
  EXPECT_EQ((*rows)[0].begin_time, At(1700000000000001));
  EXPECT_EQ((*rows)[1].duration_us, 1000000);
  EXPECT_EQ((*rows)[1].count, kMax);
}

TEST(CopyBinaryTest, KeepsObservationsUnderTheOrdinalOfTheirMetric) {
  const Observations observations = {.seq = 2, .metric_index = 0, .values = {1.5, -2, 0.1}};
  const EncodedBatch encoded = EncodeObservations(1, 2, 3, observations);
  const auto rows = test::DecodeObservationTuples(encoded.tuples);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ((*rows)[0].ord, 1);
  EXPECT_THAT((*rows)[0].values, ElementsAre(1.5, -2, 0.1));
  EXPECT_EQ(encoded.first_seq, 2);
  EXPECT_EQ(encoded.last_seq, 2);
}

TEST(CopyBinaryTest, AGapTakesItsPlaceInTheOrder) {
  const EncodedBatch gap = EncodeGap(1, 2, 3, 10, 5, "spool limit of 64 MiB reached");
  EXPECT_EQ(gap.kind, EncodedBatch::Kind::kGap);
  EXPECT_EQ(gap.first_seq, 10);
  EXPECT_EQ(gap.last_seq, 14);
  EXPECT_EQ(gap.tuples, "spool limit of 64 MiB reached");
}

TEST(CopyDecoderTest, RefusesWhatIsCutOff) {
  const Observations observations = {.seq = 2, .metric_index = 0, .values = {1.5}};
  const std::string tuples = EncodeObservations(1, 2, 3, observations).tuples;
  EXPECT_FALSE(test::DecodeObservationTuples(std::string_view(tuples).substr(0, 20)).ok());
}

}  // namespace
}  // namespace regressd::storage
