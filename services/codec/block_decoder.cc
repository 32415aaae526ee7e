#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/status/statusor.h"
#include "services/codec/block.h"
#include "services/codec/varint.h"

namespace regressd::codec {
namespace {

constexpr std::string_view kCut = "is cut short, or has a number beyond 64 bits";
constexpr std::string_view kTooLong = "has more than its samples";

absl::Status Broken(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("the block {}", what));
}

/// Reads numbers and runs of zeroes. After a fault all that follows is 0.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes)
      : at_(reinterpret_cast<const std::uint8_t*>(bytes.data())), end_(at_ + bytes.size()) {}

  std::uint64_t Next() {
    if (zero_count_ > 0) {
      --zero_count_;
      return 0;
    }
    const std::uint64_t number = Read();
    if (number == 0) zero_count_ = Read();
    return number;
  }

  /// The next `count` values of a metric whose last was `value`.
  void Sum(std::uint64_t value, std::size_t count, std::uint64_t* to) {
    std::uint64_t* const end = to + count;
    while (to != end) {
      if (zero_count_ > 0) {
        const auto run = std::min(zero_count_, static_cast<std::uint64_t>(end - to));
        to = std::fill_n(to, run, value);
        zero_count_ -= run;
        continue;
      }
      const std::uint64_t number = Read();
      value += UnfoldSign(number);
      *to++ = value;
      if (number == 0) zero_count_ = Read();
    }
  }

  void Skip(std::uint64_t count) {
    while (count > 0) {
      if (zero_count_ > 0) {
        const auto run = std::min(zero_count_, count);
        zero_count_ -= run;
        count -= run;
        continue;
      }
      --count;
      if (Read() == 0) zero_count_ = Read();
    }
  }

  /// Bytes as they stand.
  std::string_view Bytes(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) {
      Fail();
      return {};
    }
    const std::string_view bytes(reinterpret_cast<const char*>(at_), count);
    at_ += count;
    return bytes;
  }

  std::uint64_t Read() {
    // Nearly all numbers have one byte or two.
    if (end_ - at_ >= 2) {
      const std::uint64_t low = at_[0];
      const std::uint64_t high = at_[1];
      if (low < 0x80) {
        ++at_;
        return low;
      }
      if (high < 0x80) {
        at_ += 2;
        return (low & 0x7F) | high << 7;
      }
    }
    std::uint64_t number = 0;
    const std::uint8_t* const behind = ReadVarint(at_, end_, &number);
    if (behind == nullptr) {
      Fail();
      return 0;
    }
    at_ = behind;
    return number;
  }

  bool failed() const { return failed_; }
  /// Everything was read, and nothing else was announced.
  bool AtEnd() const { return !failed_ && at_ == end_ && zero_count_ == 0; }

 private:
  void Fail() {
    failed_ = true;
    at_ = end_;
    // Ends the loops at once: all that is asked for comes from this run.
    zero_count_ = ~std::uint64_t{0};
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t zero_count_ = 0;
  bool failed_ = false;
};

/// Calls take(metric, bits) for each metric that has missing values.
template <typename Take>
absl::Status ReadMissing(const BlockShape& shape, NumberReader* reader, Take take) {
  const std::uint64_t column_count = reader->Read();
  std::uint64_t metric = 0;
  for (std::uint64_t i = 0; i < column_count; ++i) {
    const std::uint64_t distance = reader->Read();
    const std::string_view bits = reader->Bytes((shape.sample_count + 7) / 8);
    if (reader->failed()) return Broken("is cut short");
    if (distance >= shape.metric_count - metric) return Broken("names a metric that is not there");
    metric += distance;
    const std::size_t spare = bits.size() * 8 - shape.sample_count;
    if (static_cast<std::uint8_t>(bits.back()) >> (8 - spare) != 0 && spare > 0) {
      return Broken("misses more samples than there are");
    }
    take(static_cast<std::size_t>(metric), bits);
    ++metric;
    if (metric == shape.metric_count && i + 1 < column_count) {
      return Broken("names a metric that is not there");
    }
  }
  return absl::OkStatus();
}

void SetMissing(std::string_view bits, std::size_t sample_count, std::uint8_t* missing) {
  for (std::size_t i = 0; i < sample_count; ++i) {
    missing[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(bits[i / 8]) >> (i % 8) & 1);
  }
}

void ReadTimes(const BlockShape& shape, NumberReader* reader, std::vector<std::int64_t>* times) {
  times->resize(shape.sample_count);
  auto time = static_cast<std::uint64_t>(shape.begin_us);
  (*times)[0] = shape.begin_us;
  for (std::size_t i = 1; i < shape.sample_count; ++i) {
    time += UnfoldSign(reader->Next()) + static_cast<std::uint64_t>(shape.period_us);
    (*times)[i] = static_cast<std::int64_t>(time);
  }
}

/// Reads the first byte: whether values are missing.
absl::StatusOr<bool> ReadKind(std::string_view block) {
  if (block.empty()) return Broken("is empty");
  if (block[0] != '\0' && block[0] != '\1') return Broken("is of a kind that is not known");
  return block[0] == '\1';
}

/// Metrics `first` to `end` of the block.
absl::Status Decode(const BlockShape& shape, std::string_view block, std::size_t first,
                    std::size_t end, Columns* columns) {
  const absl::StatusOr<bool> has_missing = ReadKind(block);
  if (!has_missing.ok()) return has_missing.status();
  const std::size_t count = shape.sample_count;
  NumberReader reader(block.substr(1));
  columns->missing.clear();
  if (*has_missing) {
    const auto set = [&](std::size_t metric, std::string_view bits) {
      if (metric < first || metric >= end) return;
      columns->missing.resize(count * (end - first));
      SetMissing(bits, count, columns->missing.data() + (metric - first) * count);
    };
    if (auto status = ReadMissing(shape, &reader, set); !status.ok()) return status;
  }
  ReadTimes(shape, &reader, &columns->times_us);
  columns->values.resize(count * (end - first));
  for (std::size_t metric = 0; metric < shape.metric_count; ++metric) {
    const std::uint64_t value = UnfoldSign(reader.Next());
    if (metric >= first && metric < end) columns->values[(metric - first) * count] = value;
  }
  reader.Skip(first * (count - 1));
  for (std::size_t metric = first; metric < end; ++metric) {
    std::uint64_t* const column = columns->values.data() + (metric - first) * count;
    reader.Sum(column[0], count - 1, column + 1);
  }
  reader.Skip((shape.metric_count - end) * (count - 1));
  if (reader.failed()) return Broken(kCut);
  if (!reader.AtEnd()) return Broken(kTooLong);
  return absl::OkStatus();
}

/// A value of one metric that is no number; its sample.
std::optional<std::size_t> FindNoNumber(std::span<const std::uint64_t> values,
                                        std::string_view missing_bits) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(std::bit_cast<double>(values[i]))) continue;
    const bool is_missing = !missing_bits.empty() &&
                            (static_cast<std::uint8_t>(missing_bits[i / 8]) >> (i % 8) & 1) != 0;
    if (!is_missing) return i;
  }
  return std::nullopt;
}

}  // namespace

absl::Status CheckBlock(const BlockShape& shape, std::string_view block, bool are_doubles,
                        std::vector<std::int64_t>* times_us) {
  const absl::StatusOr<bool> has_missing = ReadKind(block);
  if (!has_missing.ok()) return has_missing.status();
  NumberReader reader(block.substr(1));
  std::vector<std::string_view> missing(are_doubles ? shape.metric_count : 0);
  if (*has_missing) {
    const auto set = [&](std::size_t metric, std::string_view bits) {
      if (are_doubles) missing[metric] = bits;
    };
    if (auto status = ReadMissing(shape, &reader, set); !status.ok()) return status;
  }
  ReadTimes(shape, &reader, times_us);
  if (!are_doubles) {
    reader.Skip(shape.metric_count * shape.sample_count);
  } else {
    std::vector<std::uint64_t> first(shape.metric_count);
    for (std::uint64_t& value : first) value = UnfoldSign(reader.Next());
    std::vector<std::uint64_t> values(shape.sample_count);
    for (std::size_t metric = 0; metric < shape.metric_count && !reader.failed(); ++metric) {
      values[0] = first[metric];
      reader.Sum(values[0], shape.sample_count - 1, values.data() + 1);
      if (reader.failed()) break;
      if (const auto sample = FindNoNumber(values, missing[metric])) {
        return Broken(fmt::format("has {} for metric {} in sample {}; mark it missing",
                                  std::bit_cast<double>(values[*sample]), metric, *sample));
      }
    }
  }
  if (reader.failed()) return Broken(kCut);
  return reader.AtEnd() ? absl::OkStatus() : Broken(kTooLong);
}

absl::Status DecodeBlock(const BlockShape& shape, std::string_view block, Columns* columns) {
  return Decode(shape, block, 0, shape.metric_count, columns);
}

absl::Status DecodeColumn(const BlockShape& shape, std::string_view block, std::size_t metric_index,
                          Columns* columns) {
  return Decode(shape, block, metric_index, metric_index + 1, columns);
}

}  // namespace regressd::codec
