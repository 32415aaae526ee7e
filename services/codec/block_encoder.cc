#include <algorithm>
#include <array>

#include "services/codec/block.h"
#include "services/codec/varint.h"

namespace regressd::codec {
namespace {

// Columns that are written together: as many as one line of the cache has values of a row.
constexpr std::size_t kLanes = 8;

/// Appends numbers to a text. Space for them is asked for in advance, so that writing checks
/// nothing.
class NumberWriter {
 public:
  explicit NumberWriter(std::string* out) : out_(out), used_(out->size()) {}

  /// Room for `count` numbers more.
  void Reserve(std::size_t count) {
    const std::size_t needed = used_ + (count + 2) * kMaxVarintBytes;
    if (needed > out_->size()) out_->resize(std::max(needed, out_->size() * 3 / 2));
    at_ = reinterpret_cast<std::uint8_t*>(out_->data()) + used_;
  }

  void Put(std::uint64_t number) {
    if (number == 0) {
      ++zero_count_;
      return;
    }
    if (zero_count_ > 0) PutZeroes();
    at_ = WriteVarint(number, at_);
  }

  /// Call after the numbers that Reserve was told of.
  void Settle() {
    used_ = static_cast<std::size_t>(at_ - reinterpret_cast<std::uint8_t*>(out_->data()));
  }

  void Finish() {
    Reserve(0);
    if (zero_count_ > 0) PutZeroes();
    Settle();
    out_->resize(used_);
  }

 private:
  void PutZeroes() {
    *at_++ = 0;
    at_ = WriteVarint(zero_count_ - 1, at_);
    zero_count_ = 0;
  }

  std::string* out_;
  std::size_t used_;
  std::uint8_t* at_ = nullptr;
  std::uint64_t zero_count_ = 0;
};

/// Which metrics have missing values: how many; for each the distance to the one before and a bit a
/// sample.
void AppendMissing(const BlockShape& shape, std::span<const std::uint8_t> missing,
                   std::string* out) {
  std::string columns;
  std::uint64_t column_count = 0;
  std::size_t next = 0;
  const auto append = [](std::uint64_t number, std::string* to) {
    std::array<std::uint8_t, kMaxVarintBytes> bytes;
    const std::uint8_t* end = WriteVarint(number, bytes.data());
    to->append(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::size_t>(end - bytes.data()));
  };
  for (std::size_t metric = 0; metric < shape.metric_count; ++metric) {
    std::string bits((shape.sample_count + 7) / 8, '\0');
    bool any = false;
    for (std::size_t i = 0; i < shape.sample_count; ++i) {
      if (missing[i * shape.metric_count + metric] == 0) continue;
      bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << (i % 8));
      any = true;
    }
    if (!any) continue;
    append(metric - next, &columns);
    columns += bits;
    next = metric + 1;
    ++column_count;
  }
  append(column_count, out);
  *out += columns;
}

void PutTimes(const BlockShape& shape, const RowsView& rows, NumberWriter* writer) {
  writer->Reserve(shape.sample_count);
  for (std::size_t i = 1; i < shape.sample_count; ++i) {
    const std::uint64_t distance = static_cast<std::uint64_t>(rows.times_us[i]) -
                                   static_cast<std::uint64_t>(rows.times_us[i - 1]);
    writer->Put(FoldSign(distance - static_cast<std::uint64_t>(shape.period_us)));
  }
  writer->Settle();
}

/// Values with each missing one replaced by the one before it, in place of which it stands.
std::vector<std::uint64_t> Filled(const BlockShape& shape, const RowsView& rows) {
  std::vector<std::uint64_t> values(rows.values.begin(), rows.values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rows.missing[i] != 0) {
      values[i] = i < shape.metric_count ? 0 : values[i - shape.metric_count];
    }
  }
  return values;
}

void PutValues(const BlockShape& shape, const std::uint64_t* values, NumberWriter* writer) {
  const std::size_t width = shape.metric_count;
  writer->Reserve(width);
  for (std::size_t metric = 0; metric < width; ++metric) writer->Put(FoldSign(values[metric]));
  writer->Settle();
  const std::size_t distance_count = shape.sample_count - 1;
  std::vector<std::uint64_t> lanes(kLanes * distance_count);
  for (std::size_t first = 0; first < width; first += kLanes) {
    const std::size_t lane_count = std::min(kLanes, width - first);
    for (std::size_t i = 0; i < distance_count; ++i) {
      const std::uint64_t* row = values + i * width + first;
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        lanes[lane * distance_count + i] = FoldSign(row[width + lane] - row[lane]);
      }
    }
    writer->Reserve(lane_count * distance_count);
    for (std::size_t i = 0; i < lane_count * distance_count; ++i) writer->Put(lanes[i]);
    writer->Settle();
  }
}

}  // namespace

std::string EncodeBlock(const BlockShape& shape, const RowsView& rows) {
  const bool has_missing =
      std::any_of(rows.missing.begin(), rows.missing.end(), [](std::uint8_t m) { return m != 0; });
  std::string block(1, has_missing ? '\1' : '\0');
  if (has_missing) AppendMissing(shape, rows.missing, &block);
  NumberWriter writer(&block);
  PutTimes(shape, rows, &writer);
  if (has_missing) {
    PutValues(shape, Filled(shape, rows).data(), &writer);
  } else {
    PutValues(shape, rows.values.data(), &writer);
  }
  writer.Finish();
  return block;
}

}  // namespace regressd::codec
