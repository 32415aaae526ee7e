#include "services/ingest/from_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "services/codec/block.h"
#include "tests/support/ingest_builders.h"

namespace regressd::ingest {
namespace {

using test::IntSource;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

v1::Batch TwoByTwo() {
  v1::Batch batch;
  batch.set_source_id(1);
  batch.set_first_seq(1);
  batch.set_sample_count(2);
  batch.set_metric_count(2);
  batch.add_time_delta_us(1'700'000'000'000'000);
  batch.add_time_delta_us(1'000'003);
  for (const std::int64_t delta : {10, 20, 1, -2}) batch.add_int_deltas(delta);
  return batch;
}

model::Source Doubles() {
  model::Source source = IntSource(1, "m", 2);
  source.content = model::SourceContent::kDoubleSamples;
  return source;
}

v1::Batch TwoByTwoDoubles() {
  v1::Batch batch = TwoByTwo();
  batch.clear_int_deltas();
  for (const double value : {0.5, 1.5, 2.5, 3.5}) batch.add_doubles(value);
  return batch;
}

/// Expects InvalidArgument whose message names `field`.
template <typename T>
void ExpectWrong(const absl::StatusOr<T>& result, const std::string& field) {
  ASSERT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << result.status();
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(field));
}

TEST(BatchFromProtoTest, AddsUpDifferencesOfTimesAndRows) {
  const auto batch = FromProto(TwoByTwo(), IntSource(1, "m", 2));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(batch->ints, ElementsAre(10, 20, 11, 18));
  EXPECT_EQ(batch->times[1].time_since_epoch().count(), 1'700'000'001'000'003);
  EXPECT_TRUE(batch->missing.empty());
}

TEST(BatchFromProtoTest, DifferencesWrapSoThatCountersKeepAll64Bits) {
  v1::Batch proto = TwoByTwo();
  proto.set_int_deltas(0, kMax);
  proto.set_int_deltas(2, 1);  // To 2^63, an unsigned total.
  proto.set_int_deltas(1, kMin);
  proto.set_int_deltas(3, kMin);  // Back to 0.
  const auto batch = FromProto(proto, IntSource(1, "m", 2));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(batch->ints, ElementsAre(kMax, kMin, kMin, 0));
}

TEST(BatchFromProtoTest, MissingBitsBeginAtTheLowestBit) {
  v1::Batch proto = TwoByTwo();
  proto.set_missing_bits("\x09");
  const auto batch = FromProto(proto, IntSource(1, "m", 2));
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(batch->missing, ElementsAre(true, false, false, true));
}

TEST(BatchFromProtoTest, ABatchMayHaveFewerColumnsThanItsSource) {
  EXPECT_TRUE(FromProto(TwoByTwo(), IntSource(1, "m", 5)).ok());
  ExpectWrong(FromProto(TwoByTwo(), IntSource(1, "m", 1)), "batch.metric_count");
}

TEST(BatchFromProtoTest, RefusesSizesThatDoNotAgree) {
  const model::Source source = IntSource(1, "m", 2);
  v1::Batch proto = TwoByTwo();
  proto.set_sample_count(601);
  ExpectWrong(FromProto(proto, source), "batch.sample_count");
  proto = TwoByTwo();
  proto.add_int_deltas(1);
  ExpectWrong(FromProto(proto, source), "batch.int_deltas");
  proto = TwoByTwo();
  proto.add_time_delta_us(1);
  ExpectWrong(FromProto(proto, source), "batch.time_delta_us");
  proto = TwoByTwo();
  proto.add_doubles(1);
  ExpectWrong(FromProto(proto, source), "batch.doubles");
  ExpectWrong(FromProto(TwoByTwo(), Doubles()), "batch.int_deltas");
}

TEST(BatchFromProtoTest, RefusesMissingBitsOfAnotherLengthOrBeyondTheEnd) {
  v1::Batch proto = TwoByTwo();
  proto.set_missing_bits(std::string(2, '\0'));
  ExpectWrong(FromProto(proto, IntSource(1, "m", 2)), "batch.missing_bits");
  proto.set_missing_bits("\x10");
  ExpectWrong(FromProto(proto, IntSource(1, "m", 2)), "batch.missing_bits");
}

TEST(BatchFromProtoTest, RefusesTimesOutsideOfThisAndTheNextCentury) {
  v1::Batch proto = TwoByTwo();
  proto.set_time_delta_us(0, -1);
  ExpectWrong(FromProto(proto, IntSource(1, "m", 2)), "batch.time_delta_us[0]");
  proto.set_time_delta_us(0, 7'258'118'400'000'000);  // date -u -d 2200-01-01 +%s
  ExpectWrong(FromProto(proto, IntSource(1, "m", 2)), "batch.time_delta_us[0]");
  proto = TwoByTwo();
  proto.set_time_delta_us(1, kMax);
  ExpectWrong(FromProto(proto, IntSource(1, "m", 2)), "batch.time_delta_us[1]");
}

TEST(BatchFromProtoTest, RefusesWhatIsNoNumberAndNamesTheMetric) {
  for (const double odd : {std::nan(""), static_cast<double>(INFINITY)}) {
    v1::Batch proto = TwoByTwoDoubles();
    proto.set_doubles(3, odd);
    ExpectWrong(FromProto(proto, Doubles()), "batch.doubles[3]");
    ExpectWrong(FromProto(proto, Doubles()), "m.b");
    proto.set_missing_bits("\x08");  // A missing value may be anything.
    EXPECT_TRUE(FromProto(proto, Doubles()).ok());
  }
}

/// The block that codec/block_test.cc writes out by hand: times 100, 110, 121 under a period of 10.
v1::Batch HandMadeBlock() {
  v1::Batch batch;
  batch.set_source_id(1);
  batch.set_first_seq(7);
  batch.set_sample_count(3);
  batch.set_metric_count(2);
  batch.add_time_delta_us(100);
  batch.set_codec(v1::BLOCK_CODEC_DELTA);
  batch.set_block(std::string("\0\0\0\2\2\0\2\xD8\4\1", 10));
  return batch;
}

model::Source TenMicroseconds() {
  model::Source source = IntSource(1, "m", 2);
  source.period_us = 10;
  return source;
}

TEST(BlockFromProtoTest, TakesABlockAsItIs) {
  const v1::Batch batch = HandMadeBlock();
  const auto block = BlockFromProto(batch, TenMicroseconds());
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(block->first_seq, 7);
  EXPECT_EQ(block->sample_count, 3);
  EXPECT_EQ(block->metric_count, 2);
  EXPECT_EQ(block->begin_time.time_since_epoch().count(), 100);
  EXPECT_EQ(block->period_us, 10);
  EXPECT_EQ(block->codec, 1);
  EXPECT_EQ(block->payload, batch.block());
}

TEST(BlockFromProtoTest, RefusesWhatIsNoBlockOfItsShape) {
  v1::Batch longer = HandMadeBlock();
  longer.set_sample_count(4);
  ExpectWrong(BlockFromProto(longer, TenMicroseconds()), "batch.block");
  v1::Batch cut = HandMadeBlock();
  cut.mutable_block()->pop_back();
  ExpectWrong(BlockFromProto(cut, TenMicroseconds()), "is cut short");
  v1::Batch wide = HandMadeBlock();
  wide.set_metric_count(3);
  ExpectWrong(BlockFromProto(wide, TenMicroseconds()), "batch.metric_count");
  v1::Batch huge = HandMadeBlock();
  huge.set_sample_count(601);
  ExpectWrong(BlockFromProto(huge, TenMicroseconds()), "batch.sample_count");
}

TEST(BlockFromProtoTest, RefusesAMixtureAndAnotherCodec) {
  v1::Batch both = HandMadeBlock();
  both.add_int_deltas(1);
  ExpectWrong(BlockFromProto(both, TenMicroseconds()), "send one of them");
  v1::Batch other = HandMadeBlock();
  other.set_codec(v1::BLOCK_CODEC_UNSPECIFIED);
  ExpectWrong(BlockFromProto(other, TenMicroseconds()), "batch.codec");
  v1::Batch times = HandMadeBlock();
  times.add_time_delta_us(10);
  ExpectWrong(BlockFromProto(times, TenMicroseconds()), "batch.time_delta_us");
}

TEST(BlockFromProtoTest, RefusesTimesBeyondThisAndTheNextCentury) {
  v1::Batch batch = HandMadeBlock();
  batch.set_time_delta_us(0, -1);
  ExpectWrong(BlockFromProto(batch, TenMicroseconds()), "between 1970 and 2199");
}

TEST(BlockFromProtoTest, RefusesWhatIsNoNumberUnlessItIsMissing) {
  model::Source source = Doubles();
  source.period_us = 1'000'000;
  const std::vector<std::int64_t> times_us{5, 1'000'005};
  const std::vector<std::uint64_t> values{
      std::bit_cast<std::uint64_t>(0.5), std::bit_cast<std::uint64_t>(1.5),
      std::bit_cast<std::uint64_t>(2.5), std::bit_cast<std::uint64_t>(std::nan(""))};
  const codec::BlockShape shape{
      .sample_count = 2, .metric_count = 2, .begin_us = 5, .period_us = 1'000'000};
  v1::Batch batch = TwoByTwo();
  batch.clear_int_deltas();
  batch.clear_time_delta_us();
  batch.add_time_delta_us(5);
  batch.set_codec(v1::BLOCK_CODEC_DELTA);
  batch.set_block(
      codec::EncodeBlock(shape, {.times_us = times_us, .values = values, .missing = {}}));
  ExpectWrong(BlockFromProto(batch, source), "has nan for metric 1 in sample 1");
  const std::vector<std::uint8_t> missing{0, 0, 0, 1};
  batch.set_block(
      codec::EncodeBlock(shape, {.times_us = times_us, .values = values, .missing = missing}));
  EXPECT_TRUE(BlockFromProto(batch, source).ok());
}

TEST(SeqRangeTest, NumbersAreDenseFromOne) {
  EXPECT_EQ(CheckSeqRange("f", 5, "c", 3)->last, 7);
  ExpectWrong(CheckSeqRange("batch.first_seq", 0, "c", 1), "batch.first_seq");
  ExpectWrong(CheckSeqRange("batch.first_seq", kMax, "c", 1),
              "batch.first_seq is 9223372036854775807; numbers end at 4611686018427387904");
  ExpectWrong(CheckSeqRange("f", 1, "gap.count", 0), "gap.count");
  ExpectWrong(CheckSeqRange("f", 1, "gap.count", kMax),
              "gap.count is 9223372036854775807; must be at most 4611686018427387904");
}

TEST(StacksFromProtoTest, AddsUpCountsOfOneStackUnderTwoNumbers) {
  v1::StackBatch proto;
  proto.set_seq(3);
  proto.set_begin_time_us(5);
  for (const int index : {0, 1, 2}) {
    proto.add_stack_index(index);
    proto.add_count(index + 1);
  }
  const auto counts = FromProto(proto, std::vector<std::int64_t>{7, 8, 7});
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_THAT(counts->stack_hashes, ElementsAre(7, 8));
  EXPECT_THAT(counts->counts, ElementsAre(4, 2));
}

TEST(StacksFromProtoTest, RefusesNumbersThatTheDictionaryLacks) {
  v1::StackBatch proto;
  proto.set_seq(1);
  proto.add_stack_index(1);
  proto.add_count(1);
  ExpectWrong(FromProto(proto, std::vector<std::int64_t>{7}), "stack_batch.stack_index[0]");
  proto.set_stack_index(0, -1);
  ExpectWrong(FromProto(proto, std::vector<std::int64_t>{7}), "stack_batch.stack_index[0]");
  proto.set_stack_index(0, 0);
  proto.set_count(0, 0);
  ExpectWrong(FromProto(proto, std::vector<std::int64_t>{7}), "stack_batch.count[0]");
  proto.set_count(0, kMax);
  ExpectWrong(FromProto(proto, std::vector<std::int64_t>{7}), "must be at most 281474976710656");
  proto.add_count(1);
  ExpectWrong(FromProto(proto, std::vector<std::int64_t>{7}), "stack_batch.count");
}

TEST(StacksFromProtoTest, TheDictionaryIsDense) {
  v1::StackDictionary proto;
  proto.set_first_index(2);
  proto.add_folded("a;b");
  EXPECT_TRUE(FromProto(proto, 2).ok());
  ExpectWrong(FromProto(proto, 1), "stack_dictionary.first_index");
  proto.add_folded("a;\nb");
  ExpectWrong(FromProto(proto, 2), "stack_dictionary.folded[1]");
  proto.set_folded(1, "");
  ExpectWrong(FromProto(proto, 2), "stack_dictionary.folded[1]");
}

TEST(ObservationsFromProtoTest, RefusesNoneTooManyAndWhatIsNoNumber) {
  const model::Source source = IntSource(1, "m", 2);
  v1::ObservationBatch proto;
  proto.set_seq(1);
  ExpectWrong(FromProto(proto, source), "observation_batch.values");
  proto.add_values(1);
  EXPECT_TRUE(FromProto(proto, source).ok());
  proto.set_metric_index(2);
  ExpectWrong(FromProto(proto, source), "observation_batch.metric_index");
  proto.set_metric_index(0);
  proto.add_values(std::nan(""));
  ExpectWrong(FromProto(proto, source), "observation_batch.values[1]");
  proto.mutable_values()->Resize(100'001, 1);
  ExpectWrong(FromProto(proto, source), "observation_batch.values");
}

TEST(GapFromProtoTest, AReasonIsText) {
  v1::Gap gap;
  gap.set_reason("two\nlines");
  EXPECT_TRUE(CheckReason(gap).ok());
  gap.set_reason(std::string("a\0b", 3));
  EXPECT_EQ(CheckReason(gap).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace regressd::ingest
