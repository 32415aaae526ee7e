#include "storage/pg_sample_columns.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "storage/pg_rows.h"
#include "storage/row_codec.h"
#include "storage/stored_block.h"

namespace regressd::storage {
namespace {

constexpr std::int64_t kValuesAtOnce = 200'000;
constexpr std::int64_t kMaxRowsAtOnce = 2000;
constexpr std::int64_t kMaxBlocksAtOnce = 16;
constexpr std::int64_t kTypicalBlock = 60;  // Samples.
constexpr std::int64_t kLongestBlock = 600;
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

bool InRange(model::Time time, const TimeRange& range) {
  return (!range.begin || time >= *range.begin) && (!range.end || time < *range.end);
}

Sample SampleOf(std::optional<std::uint64_t> bits, bool is_int, const model::Metric& metric) {
  Sample sample;
  if (!bits) return sample;
  if (is_int) {
    sample.stored_int = static_cast<std::int64_t>(*bits);
    sample.value = StoredValue(*sample.stored_int, metric);
  } else {
    sample.value = std::bit_cast<double>(*bits);
  }
  return sample;
}

// The time of a row that begins with seq and time. Throws UnreadableValue that names the row.
model::Time TimeIn(std::string_view what, const pqxx::row& row) {
  const auto time = TryRead([&] { return TimeOf(row[1]); });
  if (time.ok()) return *time;
  const absl::Status named =
      CannotRead(fmt::format("{} {}", what, Get<std::string>(row[0])), time.status());
  throw UnreadableValue(std::string(named.message()));
}

}  // namespace

struct SampleColumns::Chunk {
  /// One sample a column, by the samples' number.
  std::map<std::int64_t, std::vector<Sample>> samples;
  std::vector<StoredBlock> blocks;
  std::int64_t end_seq = kEnd;  ///< Up to here nothing is missing from the chunk.
};

SampleColumns::SampleColumns(std::int64_t run_id, std::span<const DeclaredMetric> columns,
                             const TimeRange& range)
    : run_id_(run_id),
      columns_(columns),
      range_(range),
      is_int_(columns.front().content == model::SourceContent::kIntSamples) {}

void SampleColumns::ReadRows(pqxx::transaction_base& transaction, Chunk* chunk) const {
  const auto column_count = static_cast<std::int64_t>(columns_.size());
  const std::int64_t limit =
      std::clamp(kValuesAtOnce / column_count, std::int64_t{1}, kMaxRowsAtOnce);
  std::string select = fmt::format("SELECT seq, {}", MicrosColumn("ts"));
  for (const DeclaredMetric& column : columns_) {
    select += fmt::format(", {}[{}]", is_int_ ? "ints" : "reals", column.ord);
  }
  Conditions where;
  where.Add("run_id = {}::int8 AND source_id = {}::int4 AND seq > {}::int8", run_id_,
            columns_.front().source_id, last_seq_);
  if (range_.begin) where.Add("ts >= " + InstantOf(where.Bind(ToMicros(*range_.begin))));
  if (range_.end) where.Add("ts < " + InstantOf(where.Bind(ToMicros(*range_.end))));
  const pqxx::result rows = ExecParams(
      transaction,
      fmt::format("{} FROM sample_row {} ORDER BY seq LIMIT {}", select, where.clause(), limit),
      where.params());
  for (const auto& row : rows) {
    std::vector<Sample>& samples = chunk->samples[Get<std::int64_t>(row[0])];
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const pqxx::field field = row[static_cast<pqxx::row::size_type>(k + 2)];
      std::optional<std::uint64_t> bits;
      if (is_int_) {
        if (const auto value = GetOptional<std::int64_t>(field)) {
          bits = static_cast<std::uint64_t>(*value);
        }
      } else if (const auto value = GetOptional<double>(field)) {
        bits = std::bit_cast<std::uint64_t>(*value);
      }
      samples.push_back(SampleOf(bits, is_int_, columns_[k].metric));
      samples.back().time = TimeIn("sample", row);
    }
  }
  if (static_cast<std::int64_t>(rows.size()) == limit) {
    chunk->end_seq = std::min(chunk->end_seq, chunk->samples.rbegin()->first);
  }
}

void SampleColumns::ReadBlocks(pqxx::transaction_base& transaction, Chunk* chunk) const {
  const auto column_count = static_cast<std::int64_t>(columns_.size());
  const std::int64_t limit =
      std::clamp(kValuesAtOnce / (column_count * kTypicalBlock), std::int64_t{1}, kMaxBlocksAtOnce);
  Conditions where;
  // The first of the two lets the index find the place.
  where.Add(
      "run_id = {}::int8 AND source_id = {}::int4 AND seq > {}::int8 AND seq + nsamples - 1 > "
      "{}::int8",
      run_id_, columns_.front().source_id, last_seq_ - kLongestBlock, last_seq_);
  if (range_.end) where.Add("t0 < " + InstantOf(where.Bind(ToMicros(*range_.end))));
  const pqxx::result rows = ExecParams(
      transaction,
      fmt::format("SELECT seq, {}, period_us, nsamples, nmetrics, codec, encode(payload, 'hex') "
                  "FROM sample_block {} ORDER BY seq LIMIT {}",
                  MicrosColumn("t0"), where.clause(), limit),
      where.params());
  for (const auto& row : rows) {
    chunk->blocks.push_back({.first_seq = Get<std::int64_t>(row[0]),
                             .begin_us = ToMicros(TimeIn("block of samples from", row)),
                             .period_us = Get<std::int64_t>(row[2]),
                             .sample_count = Get<std::int64_t>(row[3]),
                             .metric_count = Get<std::int64_t>(row[4]),
                             .codec = Get<std::int64_t>(row[5]),
                             .payload = FromHex(Get<std::string>(row[6]))});
  }
  if (static_cast<std::int64_t>(rows.size()) == limit) {
    chunk->end_seq = std::min(chunk->end_seq, chunk->blocks.back().last_seq());
  }
}

absl::Status SampleColumns::AddBlocks(Chunk* chunk) const {
  codec::Columns decoded;
  for (const StoredBlock& block : chunk->blocks) {
    const auto count = static_cast<std::size_t>(block.sample_count);
    // One metric is decoded alone, several together: a block is read through either way.
    const bool alone = columns_.size() == 1;
    if (!alone) {
      if (auto status = Decode(block, &decoded); !status.ok()) return status;
    }
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      // A metric that appeared later is missing from the block.
      const bool has_metric = columns_[k].ord <= block.metric_count;
      const auto metric = static_cast<std::size_t>(has_metric ? columns_[k].ord - 1 : 0);
      if (alone) {
        if (auto status = DecodeMetric(block, metric, &decoded); !status.ok()) return status;
      }
      const std::size_t first = alone ? 0 : metric * count;
      for (std::size_t i = 0; i < count; ++i) {
        const model::Time time{std::chrono::microseconds(decoded.times_us[i])};
        if (!InRange(time, range_)) continue;
        const bool is_missing =
            !has_metric || (!decoded.missing.empty() && decoded.missing[first + i] != 0);
        Sample sample =
            SampleOf(is_missing ? std::nullopt : std::optional(decoded.values[first + i]), is_int_,
                     columns_[k].metric);
        sample.time = time;
        std::vector<Sample>& samples =
            chunk->samples[block.first_seq + static_cast<std::int64_t>(i)];
        // One that is in a row, too, was read from there.
        if (samples.size() == k) samples.push_back(sample);
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SamplePart>> SampleColumns::Next(pqxx::transaction_base& transaction) {
  Chunk chunk;
  ReadRows(transaction, &chunk);
  ReadBlocks(transaction, &chunk);
  if (auto status = AddBlocks(&chunk); !status.ok()) return status;
  std::vector<SamplePart> parts;
  for (const DeclaredMetric& column : columns_) {
    parts.push_back({.metric = column.metric, .source_id = column.source_id, .samples = {}});
  }
  for (const auto& [seq, samples] : chunk.samples) {
    if (seq <= last_seq_ || seq > chunk.end_seq) continue;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      parts[k].samples.push_back(samples[k]);
      parts[k].samples.back().seq = seq;
    }
  }
  more_ = chunk.end_seq != kEnd;
  last_seq_ = chunk.end_seq;
  return parts;
}

}  // namespace regressd::storage
