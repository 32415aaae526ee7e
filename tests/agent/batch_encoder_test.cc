#include "services/agent/batch_encoder.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace regressd::agent {
namespace {

model::Time At(std::int64_t us) { return model::Time(std::chrono::microseconds(us)); }

std::vector<std::int64_t> Ints(const v1::Batch& batch) {
  return {batch.int_deltas().begin(), batch.int_deltas().end()};
}

// Expected numbers: the words of Batch in ingest_service.proto, worked by hand.
TEST(BatchEncoderTest, SendsDifferencesToTheRowBeforeAndTimesAlike) {
  const std::vector<Row> rows = {
      {.time = At(1'000'000), .ints = {10, -5}, .doubles = {}, .missing = {}},
      {.time = At(2'000'300), .ints = {13, -5}, .doubles = {}, .missing = {}},
      {.time = At(2'999'999), .ints = {12, 7}, .doubles = {}, .missing = {}}};
  const v1::Batch batch = EncodeRows(3, 7, rows);
  EXPECT_EQ(batch.source_id(), 3);
  EXPECT_EQ(batch.first_seq(), 7);
  EXPECT_EQ(batch.sample_count(), 3);
  EXPECT_EQ(batch.metric_count(), 2);
  EXPECT_EQ(std::vector<std::int64_t>(batch.time_delta_us().begin(), batch.time_delta_us().end()),
            (std::vector<std::int64_t>{1'000'000, 1'000'300, 999'699}));
  EXPECT_EQ(Ints(batch), (std::vector<std::int64_t>{10, -5, 3, 0, -1, 12}));
  EXPECT_TRUE(batch.missing_bits().empty());
}

TEST(BatchEncoderTest, AMissingValueRepeatsTheOneBefore) {
  const std::vector<Row> rows = {
      {.time = At(1), .ints = {99, 4}, .doubles = {}, .missing = {true, false}},
      {.time = At(2), .ints = {8, 0}, .doubles = {}, .missing = {false, true}},
      {.time = At(3), .ints = {9, 6}, .doubles = {}, .missing = {}}};
  const v1::Batch batch = EncodeRows(1, 1, rows);
  EXPECT_EQ(Ints(batch), (std::vector<std::int64_t>{0, 4, 8, 0, 1, 2}));
  // Entries 0 and 3.
  EXPECT_EQ(batch.missing_bits(), std::string("\x09", 1));
}

TEST(BatchEncoderTest, CountersBeyondTheSignedRangeKeepTheirBits) {
  const std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  const std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  const std::vector<Row> rows = {{.time = At(1), .ints = {maximum}, .doubles = {}, .missing = {}},
                                 {.time = At(2), .ints = {minimum}, .doubles = {}, .missing = {}}};
  // 2^63 - 1 to 2^63 is one more.
  EXPECT_EQ(Ints(EncodeRows(1, 1, rows)), (std::vector<std::int64_t>{maximum, 1}));
}

TEST(BatchEncoderTest, AShorterRowEndsInMissingValues) {
  const std::vector<Row> rows = {{.time = At(1), .ints = {5}, .doubles = {}, .missing = {}},
                                 {.time = At(2), .ints = {6, 1}, .doubles = {}, .missing = {}}};
  const v1::Batch batch = EncodeRows(1, 1, rows);
  EXPECT_EQ(batch.metric_count(), 2);
  EXPECT_EQ(Ints(batch), (std::vector<std::int64_t>{5, 0, 1, 1}));
  EXPECT_EQ(batch.missing_bits(), std::string("\x02", 1));
}

TEST(BatchEncoderTest, DoublesAreSentAsTheyAre) {
  const std::vector<Row> rows = {
      {.time = At(1), .ints = {}, .doubles = {0.1, 2}, .missing = {}},
      {.time = At(2), .ints = {}, .doubles = {0.3, 9}, .missing = {false, true}}};
  const v1::Batch batch = EncodeRows(1, 1, rows);
  EXPECT_EQ(std::vector<double>(batch.doubles().begin(), batch.doubles().end()),
            (std::vector<double>{0.1, 2, 0.3, 0}));
  EXPECT_EQ(batch.missing_bits(), std::string("\x08", 1));
  EXPECT_EQ(batch.int_deltas_size(), 0);
}

}  // namespace
}  // namespace regressd::agent
