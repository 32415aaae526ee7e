#include "tests/support/copy_decoder.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstddef>
#include <stdexcept>

namespace regressd::test {
namespace {

/// Throws std::runtime_error at the first byte that does not belong.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool AtEnd() const { return at_ == bytes_.size(); }

  std::uint64_t Big(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) {
      Require(at_ < bytes_.size(), "ends in the middle of a number");
      value = value * 256 + static_cast<unsigned char>(bytes_[at_++]);
    }
    return value;
  }
  std::int32_t Signed4() { return static_cast<std::int32_t>(static_cast<std::uint32_t>(Big(4))); }

  void Columns(int expected) { Require(Big(2) == static_cast<std::uint64_t>(expected), "columns"); }
  std::int32_t Int4() {
    Require(Signed4() == 4, "length of an int4");
    return Signed4();
  }
  std::int64_t Int8() {
    Require(Signed4() == 8, "length of an int8");
    return static_cast<std::int64_t>(Big(8));
  }
  std::int16_t Int2() {
    Require(Signed4() == 2, "length of an int2");
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(Big(2)));
  }
  std::string Bytea() {
    std::string bytes;
    for (std::int32_t left = Signed4(); left > 0; --left)
      bytes.push_back(static_cast<char>(Big(1)));
    return bytes;
  }
  model::Time Timestamp() {
    using namespace std::chrono;
    const sys_time<microseconds> postgres_epoch = sys_days{year{2000} / 1 / 1};
    return postgres_epoch + microseconds{Int8()};
  }

  /// Bit patterns of an array's elements; unset for a NULL array.
  std::optional<std::vector<std::optional<std::uint64_t>>> Array(std::uint64_t element_oid) {
    const std::int32_t length = Signed4();
    if (length == -1) return std::nullopt;
    const std::size_t end = at_ + static_cast<std::size_t>(length);
    Require(Big(4) == 1, "dimensions of an array");
    const std::uint64_t null_flag = Big(4);
    Require(Big(4) == element_oid, "element type of an array");
    const std::uint64_t count = Big(4);
    Require(Big(4) == 1, "lower bound of an array");
    std::vector<std::optional<std::uint64_t>> elements;
    bool saw_null = false;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int32_t size = Signed4();
      Require(size == -1 || size == 8, "length of an element");
      elements.push_back(size == -1 ? std::nullopt : std::optional(Big(8)));
      saw_null = saw_null || size == -1;
    }
    Require(at_ == end, "length of an array");
    Require(null_flag == (saw_null ? 1 : 0), "NULL flag of an array");
    return elements;
  }

 private:
  void Require(bool holds, std::string_view what) const {
    if (!holds) throw std::runtime_error(fmt::format("byte {}: {}", at_, what));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

template <typename Tuple, typename Read>
absl::StatusOr<std::vector<Tuple>> DecodeAll(std::string_view tuples, Read read) try {
  Reader reader(tuples);
  std::vector<Tuple> result;
  while (!reader.AtEnd()) result.push_back(read(reader));
  return result;
} catch (const std::exception& e) {
  return absl::InvalidArgumentError(e.what());
}

template <typename T>
std::optional<std::vector<std::optional<T>>> Cast(
    const std::optional<std::vector<std::optional<std::uint64_t>>>& bits) {
  if (!bits) return std::nullopt;
  std::vector<std::optional<T>> values;
  for (const auto& element : *bits) {
    values.push_back(element ? std::optional(std::bit_cast<T>(*element)) : std::nullopt);
  }
  return values;
}

}  // namespace

absl::StatusOr<std::vector<SampleTuple>> DecodeSampleTuples(std::string_view tuples) {
  return DecodeAll<SampleTuple>(tuples, [](Reader& reader) {
    SampleTuple tuple;
    reader.Columns(6);
    tuple.run_id = reader.Int8();
    tuple.source_id = reader.Int4();
    tuple.seq = reader.Int8();
    tuple.time = reader.Timestamp();
    tuple.ints = Cast<std::int64_t>(reader.Array(20));
    tuple.reals = Cast<double>(reader.Array(701));
    if (tuple.ints.has_value() == tuple.reals.has_value()) {
      throw std::runtime_error("exactly one of ints and reals must be set");
    }
    return tuple;
  });
}

absl::StatusOr<std::vector<BlockTuple>> DecodeBlockTuples(std::string_view tuples) {
  return DecodeAll<BlockTuple>(tuples, [](Reader& reader) {
    reader.Columns(9);
    BlockTuple tuple;
    tuple.run_id = reader.Int8();
    tuple.source_id = reader.Int4();
    tuple.seq = reader.Int8();
    tuple.begin_time = reader.Timestamp();
    tuple.period_us = reader.Int8();
    tuple.sample_count = reader.Int4();
    tuple.metric_count = reader.Int4();
    tuple.codec = reader.Int2();
    tuple.payload = reader.Bytea();
    return tuple;
  });
}

absl::StatusOr<std::vector<StackTuple>> DecodeStackTuples(std::string_view tuples) {
  return DecodeAll<StackTuple>(tuples, [](Reader& reader) {
    StackTuple tuple;
    reader.Columns(7);
    tuple.run_id = reader.Int8();
    tuple.source_id = reader.Int4();
    tuple.seq = reader.Int8();
    tuple.stack_hash = reader.Int8();
    tuple.begin_time = reader.Timestamp();
    tuple.duration_us = reader.Int8();
    tuple.count = reader.Int8();
    return tuple;
  });
}

absl::StatusOr<std::vector<ObservationTuple>> DecodeObservationTuples(std::string_view tuples) {
  return DecodeAll<ObservationTuple>(tuples, [](Reader& reader) {
    ObservationTuple tuple;
    reader.Columns(5);
    tuple.run_id = reader.Int8();
    tuple.source_id = reader.Int4();
    tuple.seq = reader.Int8();
    tuple.ord = reader.Int4();
    const auto values = Cast<double>(reader.Array(701));
    if (!values) throw std::runtime_error("reals must not be NULL");
    for (const auto& value : *values) {
      if (!value) throw std::runtime_error("an observation must not be NULL");
      tuple.values.push_back(*value);
    }
    return tuple;
  });
}

}  // namespace regressd::test
