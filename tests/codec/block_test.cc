#include "services/codec/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/codec/slow_block.h"

namespace regressd::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

/// The parts of RowsView, kept.
struct Rows {
  explicit Rows(const Table& table) : times_us(table.times_us) {
    for (const auto& row : table.rows) {
      for (const auto& value : row) {
        values.push_back(value.value_or(4711));  // Whatever stands there is no matter.
        missing.push_back(value ? 0 : 1);
      }
    }
  }
  RowsView view() const { return {.times_us = times_us, .values = values, .missing = missing}; }

  std::vector<std::int64_t> times_us;
  std::vector<std::uint64_t> values;
  std::vector<std::uint8_t> missing;
};

BlockShape ShapeOf(const Table& table, std::int64_t period_us = 1'000'000) {
  return {.sample_count = table.rows.size(),
          .metric_count = table.rows[0].size(),
          .begin_us = table.times_us[0],
          .period_us = period_us};
}

std::string Encode(const Table& table, const BlockShape& shape) {
  const Rows rows(table);
  return EncodeBlock(shape, rows.view());
}

Table TableOf(const BlockShape& shape, const Columns& columns, std::size_t metric_count) {
  Table table{.times_us = columns.times_us, .rows = {}};
  for (std::size_t i = 0; i < shape.sample_count; ++i) {
    auto& row = table.rows.emplace_back();
    for (std::size_t metric = 0; metric < metric_count; ++metric) {
      const std::size_t at = metric * shape.sample_count + i;
      const bool is_missing = !columns.missing.empty() && columns.missing[at] != 0;
      row.push_back(is_missing ? std::nullopt : std::optional(columns.values[at]));
    }
  }
  return table;
}

std::optional<Table> Decode(const BlockShape& shape, std::string_view block) {
  Columns columns;
  if (!DecodeBlock(shape, block, &columns).ok()) return std::nullopt;
  return TableOf(shape, columns, shape.metric_count);
}

/// Series as monitors make them, and some that nobody makes.
Table RandomTable(std::mt19937_64* random) {
  const auto below = [random](std::uint64_t n) { return (*random)() % n; };
  const std::size_t sample_count = 1 + below(70);
  const std::size_t metric_count = 1 + below(20);
  const bool has_missing = below(2) == 0;
  Table table;
  std::int64_t time = static_cast<std::int64_t>(below(2'000'000'000'000'000));
  std::vector<std::uint64_t> values;
  std::vector<int> kinds;
  for (std::size_t metric = 0; metric < metric_count; ++metric) {
    kinds.push_back(static_cast<int>(below(5)));
    values.push_back((*random)() >> below(64));
  }
  for (std::size_t i = 0; i < sample_count; ++i) {
    table.times_us.push_back(time);
    time += 1'000'000 + static_cast<std::int64_t>(below(300)) - 100;
    auto& row = table.rows.emplace_back();
    for (std::size_t metric = 0; metric < metric_count; ++metric) {
      switch (kinds[metric]) {
        case 0:
          break;
        case 1:
          values[metric] += below(3) == 0 ? below(1000) : 0;
          break;
        case 2:
          values[metric] += below(2000) - 1000;
          break;
        case 3:
          values[metric] = (*random)();
          break;
        default:
          values[metric] = std::bit_cast<std::uint64_t>(static_cast<double>(below(1000)) / 7);
      }
      const bool is_missing = has_missing && below(9) == 0;
      row.push_back(is_missing ? std::nullopt : std::optional(values[metric]));
    }
  }
  return table;
}

TEST(BlockTest, IsWrittenAsItsHeaderSays) {
  // Two metrics, three samples, a period of 10: times 100, 110, 121; values 1, 1, 1 and 0, 300,
  // 299.
  const Table table{.times_us = {100, 110, 121}, .rows = {{1, 0}, {1, 300}, {1, 299}}};
  const std::string block = Encode(table, ShapeOf(table, 10));
  // Numbers: 0, 1 (times); 1, 0 (first sample); 0, 0; 300, -1.
  // Folded:  0, 2;         2, 0;                0, 0; 600, 1. 600 is 4 * 128 + 88.
  const std::string expected(
      "\0"
      "\0\0"
      "\2"
      "\2"
      "\0\2"
      "\xD8\4"
      "\1",
      10);
  EXPECT_EQ(block, expected);
}

TEST(BlockTest, KeepsEveryIntegerOfTheWholeRange) {
  const Table table{.times_us = {0, -5, std::numeric_limits<std::int64_t>::max()},
                    .rows = {{0, kMax, kMax / 2 + 1}, {kMax, 0, kMax / 2}, {1, kMax - 1, 0}}};
  EXPECT_EQ(Decode(ShapeOf(table), Encode(table, ShapeOf(table))), table);
}

TEST(BlockTest, KeepsEveryDoubleToTheBit) {
  Table table;
  for (const double value : {-0.0, 5e-324, 1.7976931348623157e308, 0.1, -1.0 / 3}) {
    table.times_us.push_back(7);
    table.rows.push_back({std::bit_cast<std::uint64_t>(value)});
  }
  EXPECT_EQ(Decode(ShapeOf(table), Encode(table, ShapeOf(table))), table);
}

TEST(BlockTest, AMissingValueIsNoValue) {
  const Table table{.times_us = {1, 2, 3},
                    .rows = {{std::nullopt, 5, 0}, {std::nullopt, std::nullopt, 0}, {9, 6, 0}}};
  const std::string block = Encode(table, ShapeOf(table));
  EXPECT_EQ(Decode(ShapeOf(table), block), table);
  Columns columns;
  ASSERT_TRUE(DecodeBlock(ShapeOf(table), block, &columns).ok());
  EXPECT_THAT(columns.values, ElementsAre(0, 0, 9, 5, 5, 6, 0, 0, 0));
}

TEST(BlockTest, AnIdleMachineCostsAFewBytes) {
  Table table;
  for (int i = 0; i < 60; ++i) {
    table.times_us.push_back(i * 1'000'000);
    table.rows.emplace_back(250, std::optional<std::uint64_t>(0));
  }
  EXPECT_LE(Encode(table, ShapeOf(table)).size(), 5U);
}

TEST(BlockTest, AgreesWithItsSlowTwin) {
  std::mt19937_64 random(4711);
  for (int round = 0; round < 2000; ++round) {
    const Table table = RandomTable(&random);
    const BlockShape shape = ShapeOf(table);
    const std::string block = Encode(table, shape);
    ASSERT_EQ(block, SlowEncode(shape, table)) << "round " << round;
    ASSERT_EQ(Decode(shape, block), table) << "round " << round;
    Columns one;
    const std::size_t metric = random() % shape.metric_count;
    ASSERT_TRUE(DecodeColumn(shape, block, metric, &one).ok());
    const Table column = TableOf(shape, one, 1);
    for (std::size_t i = 0; i < shape.sample_count; ++i) {
      ASSERT_EQ(column.rows[i][0], table.rows[i][metric]);
    }
  }
}

// Damaged blocks, and good ones under a wrong shape: the two must also agree on what is none.
TEST(BlockTest, AgreesWithItsSlowTwinOnWhatIsNoBlock) {
  std::mt19937_64 random(815);
  int taken = 0;
  for (int round = 0; round < 4000; ++round) {
    const Table table = RandomTable(&random);
    BlockShape shape = ShapeOf(table);
    std::string block = Encode(table, shape);
    switch (random() % 4) {
      case 0:
        block.resize(random() % block.size());
        break;
      case 1:
        block[random() % block.size()] = static_cast<char>(random());
        break;
      case 2:
        block.insert(random() % block.size(), 1, static_cast<char>(random() % 3));
        break;
      default:
        (random() % 2 == 0 ? shape.sample_count : shape.metric_count) = 1 + random() % 70;
    }
    const std::optional<Table> slow = SlowDecode(shape, block);
    ASSERT_EQ(Decode(shape, block), slow) << "round " << round;
    taken += slow ? 1 : 0;
    Columns one;
    ASSERT_EQ(DecodeColumn(shape, block, random() % shape.metric_count, &one).ok(),
              slow.has_value());
  }
  EXPECT_GT(taken, 20) << "some damage makes another block";
}

TEST(BlockTest, SaysWhatIsWrongWithABlock) {
  const BlockShape shape{.sample_count = 2, .metric_count = 1, .begin_us = 0, .period_us = 1};
  Columns columns;
  const auto message = [&](std::string_view block) {
    return std::string(DecodeBlock(shape, block, &columns).message());
  };
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message("\2"), HasSubstr("of a kind that is not known"));
  EXPECT_THAT(message(std::string("\0\2\2", 3)), HasSubstr("is cut short"));
  EXPECT_THAT(message(std::string("\0\2\2\2\2", 5)), HasSubstr("has more than its samples"));
  EXPECT_THAT(message(std::string("\0\0\3", 3)), HasSubstr("has more than its samples"));
  EXPECT_THAT(message(std::string("\1\1\1\1", 4)), HasSubstr("names a metric that is not there"));
  EXPECT_THAT(message(std::string("\1\1\0\4", 4)), HasSubstr("misses more samples than there are"));
}

}  // namespace
}  // namespace regressd::codec
