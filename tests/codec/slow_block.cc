#include "tests/codec/slow_block.h"

#include <cstddef>

namespace regressd::codec {
namespace {

// 128 bits hold every difference of two 64-bit numbers and its double.
using Wide = __int128;

std::uint64_t Fold(std::uint64_t difference) {
  const auto number = static_cast<std::int64_t>(difference);
  const Wide folded = number >= 0 ? Wide{number} * 2 : Wide{number} * -2 - 1;
  return static_cast<std::uint64_t>(folded);
}

std::uint64_t Unfold(std::uint64_t folded) {
  const Wide number = folded % 2 == 0 ? Wide{folded} / 2 : -(Wide{folded} + 1) / 2;
  return static_cast<std::uint64_t>(number);
}

void AppendNumber(std::uint64_t number, std::string* out) {
  for (; number >= 128; number /= 128) out->push_back(static_cast<char>(number % 128 + 128));
  out->push_back(static_cast<char>(number));
}

std::vector<std::uint64_t> NumbersOf(const BlockShape& shape, const Table& table) {
  std::vector<std::vector<std::uint64_t>> filled;
  for (const auto& row : table.rows) {
    std::vector<std::uint64_t> values;
    for (std::size_t metric = 0; metric < row.size(); ++metric) {
      const std::uint64_t before = filled.empty() ? 0 : filled.back()[metric];
      values.push_back(row[metric].value_or(before));
    }
    filled.push_back(values);
  }
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 1; i < table.times_us.size(); ++i) {
    numbers.push_back(Fold(static_cast<std::uint64_t>(table.times_us[i]) -
                           static_cast<std::uint64_t>(table.times_us[i - 1]) -
                           static_cast<std::uint64_t>(shape.period_us)));
  }
  for (const std::uint64_t value : filled[0]) numbers.push_back(Fold(value));
  for (std::size_t metric = 0; metric < shape.metric_count; ++metric) {
    for (std::size_t i = 1; i < filled.size(); ++i) {
      numbers.push_back(Fold(filled[i][metric] - filled[i - 1][metric]));
    }
  }
  return numbers;
}

class SlowReader {
 public:
  explicit SlowReader(std::string_view text) : text_(text) {}

  std::optional<std::uint8_t> Byte() {
    if (at_ == text_.size()) return std::nullopt;
    return static_cast<std::uint8_t>(text_[at_++]);
  }
  std::optional<std::uint64_t> Number() {
    unsigned __int128 number = 0;
    for (unsigned place = 0; place < 10; ++place) {
      const auto byte = Byte();
      if (!byte) return std::nullopt;
      number += static_cast<unsigned __int128>(*byte % 128) << (7 * place);
      if (*byte < 128) {
        if (number >> 64 != 0) return std::nullopt;
        return static_cast<std::uint64_t>(number);
      }
    }
    return std::nullopt;
  }
  bool AtEnd() const { return at_ == text_.size(); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// All numbers to the end of the text, runs of zeroes spelt out; exactly `count` of them.
std::optional<std::vector<std::uint64_t>> Numbers(SlowReader* reader, std::size_t count) {
  std::vector<std::uint64_t> numbers;
  while (!reader->AtEnd()) {
    const auto number = reader->Number();
    if (!number) return std::nullopt;
    std::uint64_t repeats = 0;
    if (*number == 0) {
      const auto more = reader->Number();
      if (!more) return std::nullopt;
      repeats = *more;
    }
    if (numbers.size() >= count || repeats >= count - numbers.size()) return std::nullopt;
    numbers.insert(numbers.end(), repeats + 1, *number);
  }
  if (numbers.size() != count) return std::nullopt;
  return numbers;
}

}  // namespace

std::string SlowEncode(const BlockShape& shape, const Table& table) {
  std::string columns;
  std::uint64_t column_count = 0;
  std::size_t next = 0;
  for (std::size_t metric = 0; metric < shape.metric_count; ++metric) {
    std::vector<std::uint8_t> bytes((shape.sample_count + 7) / 8);
    bool any = false;
    for (std::size_t i = 0; i < shape.sample_count; ++i) {
      if (table.rows[i][metric]) continue;
      any = true;
      bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] + (1 << i % 8));
    }
    if (!any) continue;
    AppendNumber(metric - next, &columns);
    for (const std::uint8_t byte : bytes) columns.push_back(static_cast<char>(byte));
    next = metric + 1;
    ++column_count;
  }
  std::string block(1, column_count > 0 ? '\1' : '\0');
  if (column_count > 0) {
    AppendNumber(column_count, &block);
    block += columns;
  }
  const std::vector<std::uint64_t> numbers = NumbersOf(shape, table);
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (numbers[i] == 0 && end < numbers.size() && numbers[end] == 0) ++end;
    AppendNumber(numbers[i], &block);
    if (numbers[i] == 0) AppendNumber(end - i - 1, &block);
    i = end;
  }
  return block;
}

std::optional<Table> SlowDecode(const BlockShape& shape, std::string_view block) {
  SlowReader reader(block);
  const auto kind = reader.Byte();
  if (!kind || *kind > 1) return std::nullopt;
  std::vector<std::vector<bool>> missing(shape.metric_count, std::vector<bool>(shape.sample_count));
  if (*kind == 1) {
    const auto column_count = reader.Number();
    if (!column_count) return std::nullopt;
    Wide metric = 0;
    for (std::uint64_t k = 0; k < *column_count; ++k, ++metric) {
      const auto distance = reader.Number();
      if (!distance) return std::nullopt;
      metric += *distance;
      if (metric >= static_cast<Wide>(shape.metric_count)) return std::nullopt;
      for (std::size_t i = 0; i < (shape.sample_count + 7) / 8 * 8; i += 8) {
        const auto byte = reader.Byte();
        if (!byte) return std::nullopt;
        for (std::size_t bit = 0; bit < 8; ++bit) {
          if ((*byte >> bit) % 2 == 0) continue;
          if (i + bit >= shape.sample_count) return std::nullopt;
          missing[static_cast<std::size_t>(metric)][i + bit] = true;
        }
      }
    }
  }
  const std::size_t n = shape.sample_count;
  const auto numbers = Numbers(&reader, n - 1 + n * shape.metric_count);
  if (!numbers) return std::nullopt;
  Table table;
  auto number = numbers->begin();
  table.times_us.push_back(shape.begin_us);
  for (std::size_t i = 1; i < n; ++i) {
    const std::uint64_t time = static_cast<std::uint64_t>(table.times_us.back()) +
                               Unfold(*number++) + static_cast<std::uint64_t>(shape.period_us);
    table.times_us.push_back(static_cast<std::int64_t>(time));
  }
  table.rows.assign(n, std::vector<std::optional<std::uint64_t>>(shape.metric_count));
  for (auto& value : table.rows[0]) value = Unfold(*number++);
  for (std::size_t metric = 0; metric < shape.metric_count; ++metric) {
    for (std::size_t i = 1; i < n; ++i) {
      table.rows[i][metric] = *table.rows[i - 1][metric] + Unfold(*number++);
    }
  }
  for (std::size_t metric = 0; metric < shape.metric_count; ++metric) {
    for (std::size_t i = 0; i < n; ++i) {
      if (missing[metric][i]) table.rows[i][metric].reset();
    }
  }
  return table;
}

}  // namespace regressd::codec
