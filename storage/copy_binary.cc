#include "storage/copy_binary.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

#include "storage/big_endian.h"

namespace regressd::storage {
namespace {

using namespace std::string_view_literals;

// pg_type.oid of the element types; fixed since PostgreSQL began.
constexpr std::uint32_t kInt8Oid = 20;
constexpr std::uint32_t kFloat8Oid = 701;

// PostgreSQL counts microseconds from 2000-01-01, model::Time from 1970-01-01: 10,957 days.
constexpr std::int64_t kPostgresEpochUs = 10'957LL * 86'400 * 1'000'000;

constexpr std::size_t kTupleHeader = 2;          // number of columns
constexpr std::size_t kInt2 = 4 + 2;             // length, value
constexpr std::size_t kInt4 = 4 + 4;             // length, value
constexpr std::size_t kInt8 = 4 + 8;             // length, value; also timestamptz
constexpr std::size_t kNull = 4;                 // length -1
constexpr std::size_t kBytea = 4;                // length, before the bytes
constexpr std::size_t kArrayHeader = 4 + 5 * 4;  // length; dimensions, flags, oid, size, base
constexpr std::size_t kElement = 4 + 8;          // length, value

/// Writes into a string that already has its final size: the sizes are known, so nothing grows.
class TupleWriter {
 public:
  TupleWriter(std::string* out, std::size_t size) {
    out->resize(size);
    next_ = out->data();
    end_ = next_ + size;
  }
  ~TupleWriter() { assert(next_ == end_); }
  TupleWriter(const TupleWriter&) = delete;
  TupleWriter& operator=(const TupleWriter&) = delete;

  void BeginTuple(std::uint16_t column_count) { next_ = StoreBigEndian(column_count, next_); }
  void Null() { Word(~0U); }
  void Int2(std::int16_t value) {
    Word(2);
    next_ = StoreBigEndian(static_cast<std::uint16_t>(value), next_);
  }
  void Int4(std::int32_t value) {
    Word(4);
    Word(static_cast<std::uint32_t>(value));
  }
  void Int8(std::int64_t value) { Bits8(static_cast<std::uint64_t>(value)); }
  void Float8(double value) { Bits8(std::bit_cast<std::uint64_t>(value)); }
  void Bytea(std::string_view bytes) {
    Word(static_cast<std::uint32_t>(bytes.size()));
    next_ = std::copy(bytes.begin(), bytes.end(), next_);
  }
  void Timestamp(model::Time time) { Int8(time.time_since_epoch().count() - kPostgresEpochUs); }

  void BeginArray(std::uint32_t element_oid, std::size_t count, std::size_t null_count) {
    Word(static_cast<std::uint32_t>(kArrayHeader - 4 + count * kElement - null_count * 8));
    Word(1);
    Word(null_count > 0 ? 1 : 0);
    Word(element_oid);
    Word(static_cast<std::uint32_t>(count));
    Word(1);
  }

 private:
  void Word(std::uint32_t value) { next_ = StoreBigEndian(value, next_); }
  void Bits8(std::uint64_t bits) {
    Word(8);
    next_ = StoreBigEndian(bits, next_);
  }

  char* next_;
  char* end_;
};

std::size_t CountMissing(const SampleBatch& batch, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  if (batch.missing.empty()) return 0;
  for (std::size_t i = begin; i < end; ++i) count += batch.missing[i] ? 1 : 0;
  return count;
}

void WriteRow(const SampleBatch& batch, std::size_t begin, std::size_t end, TupleWriter* out) {
  const bool is_int = batch.doubles.empty();
  const bool has_missing = !batch.missing.empty();
  if (!is_int) out->Null();
  out->BeginArray(is_int ? kInt8Oid : kFloat8Oid, end - begin, CountMissing(batch, begin, end));
  for (std::size_t i = begin; i < end; ++i) {
    if (has_missing && batch.missing[i]) {
      out->Null();
    } else if (is_int) {
      out->Int8(batch.ints[i]);
    } else {
      out->Float8(batch.doubles[i]);
    }
  }
  if (is_int) out->Null();
}

EncodedBatch Header(EncodedBatch::Kind kind, std::int64_t run_id, std::int32_t source_id,
                    std::int64_t epoch, std::int64_t first_seq, std::int64_t count) {
  EncodedBatch batch;
  batch.kind = kind;
  batch.run_id = run_id;
  batch.source_id = source_id;
  batch.epoch = epoch;
  batch.first_seq = first_seq;
  batch.last_seq = first_seq + count - 1;
  return batch;
}

}  // namespace

std::string_view CopyHeader() { return "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv; }

std::string_view CopyTrailer() { return "\377\377"sv; }

std::string_view CopyTarget(EncodedBatch::Kind kind) {
  switch (kind) {
    case EncodedBatch::Kind::kSamples:
      return "sample_row (run_id, source_id, seq, ts, ints, reals)";
    case EncodedBatch::Kind::kBlocks:
      return "sample_block (run_id, source_id, seq, t0, period_us, nsamples, nmetrics, codec, "
             "payload)";
    case EncodedBatch::Kind::kStacks:
      return "stack_count (run_id, source_id, seq, stack_hash, begin_time, duration_us, n)";
    case EncodedBatch::Kind::kObservations:
      return "observation_row (run_id, source_id, seq, ord, reals)";
    case EncodedBatch::Kind::kGap:
      return "";
  }
  return "";
}

EncodedBatch EncodeSamples(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch,
                           const SampleBatch& batch) {
  const std::size_t row_count = batch.times.size();
  const auto column_count = static_cast<std::size_t>(batch.metric_count);
  assert(batch.ints.size() + batch.doubles.size() == row_count * column_count);
  assert(batch.missing.empty() || batch.missing.size() == row_count * column_count);

  EncodedBatch encoded = Header(EncodedBatch::Kind::kSamples, run_id, source_id, epoch,
                                batch.first_seq, static_cast<std::int64_t>(row_count));
  constexpr std::size_t kFixed = kTupleHeader + kInt8 + kInt4 + 2 * kInt8 + kArrayHeader + kNull;
  const std::size_t missing_count = CountMissing(batch, 0, row_count * column_count);
  TupleWriter out(&encoded.tuples,
                  row_count * (kFixed + column_count * kElement) - missing_count * 8);
  for (std::size_t row = 0; row < row_count; ++row) {
    out.BeginTuple(6);
    out.Int8(run_id);
    out.Int4(source_id);
    out.Int8(batch.first_seq + static_cast<std::int64_t>(row));
    out.Timestamp(batch.times[row]);
    WriteRow(batch, row * column_count, (row + 1) * column_count, &out);
  }
  return encoded;
}

EncodedBatch EncodeBlock(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch,
                         const SampleBlock& block) {
  EncodedBatch encoded = Header(EncodedBatch::Kind::kBlocks, run_id, source_id, epoch,
                                block.first_seq, block.sample_count);
  TupleWriter out(&encoded.tuples, kTupleHeader + kInt8 + kInt4 + 3 * kInt8 + 2 * kInt4 + kInt2 +
                                       kBytea + block.payload.size());
  out.BeginTuple(9);
  out.Int8(run_id);
  out.Int4(source_id);
  out.Int8(block.first_seq);
  out.Timestamp(block.begin_time);
  out.Int8(block.period_us);
  out.Int4(block.sample_count);
  out.Int4(block.metric_count);
  out.Int2(block.codec);
  out.Bytea(block.payload);
  return encoded;
}

EncodedBatch EncodeStacks(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch,
                          const StackCounts& counts) {
  assert(counts.stack_hashes.size() == counts.counts.size());
  EncodedBatch encoded =
      Header(EncodedBatch::Kind::kStacks, run_id, source_id, epoch, counts.seq, 1);
  TupleWriter out(&encoded.tuples,
                  counts.counts.size() * (kTupleHeader + kInt8 + kInt4 + 5 * kInt8));
  for (std::size_t i = 0; i < counts.counts.size(); ++i) {
    out.BeginTuple(7);
    out.Int8(run_id);
    out.Int4(source_id);
    out.Int8(counts.seq);
    out.Int8(counts.stack_hashes[i]);
    out.Timestamp(counts.begin_time);
    out.Int8(counts.duration_us);
    out.Int8(counts.counts[i]);
  }
  return encoded;
}

EncodedBatch EncodeObservations(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch,
                                const Observations& observations) {
  EncodedBatch encoded =
      Header(EncodedBatch::Kind::kObservations, run_id, source_id, epoch, observations.seq, 1);
  TupleWriter out(&encoded.tuples, kTupleHeader + kInt8 + kInt4 + kInt8 + kInt4 + kArrayHeader +
                                       observations.values.size() * kElement);
  out.BeginTuple(5);
  out.Int8(run_id);
  out.Int4(source_id);
  out.Int8(observations.seq);
  out.Int4(observations.metric_index + 1);  // ord counts from 1, as PostgreSQL's arrays do.
  out.BeginArray(kFloat8Oid, observations.values.size(), 0);
  for (const double value : observations.values) out.Float8(value);
  return encoded;
}

EncodedBatch EncodeGap(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch,
                       std::int64_t first_seq, std::int64_t count, std::string_view reason) {
  EncodedBatch encoded =
      Header(EncodedBatch::Kind::kGap, run_id, source_id, epoch, first_seq, count);
  encoded.tuples = reason;
  return encoded;
}

}  // namespace regressd::storage
