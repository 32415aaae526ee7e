#include "services/ingest/from_proto.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "services/codec/block.h"
#include "services/common/error_details.h"
#include "services/common/field_checks.h"
#include "services/model/metric.h"

namespace regressd::ingest {
namespace {

constexpr int kMaxSamples = 600;
constexpr int kMaxObservations = 100'000;
constexpr std::size_t kMaxStackBytes = 64 * 1024;
constexpr std::size_t kMaxStacks = 1'000'000;
constexpr std::size_t kMaxReasonBytes = 4096;
constexpr std::int64_t kMaxSeq = std::int64_t{1} << 62;
constexpr std::int64_t kMaxStackCount = std::int64_t{1} << 48;
constexpr std::int64_t kMaxWindowUs = 366LL * 24 * 3600 * 1'000'000;
// Wide enough for a machine that lost its clock, and within PostgreSQL's range: 1970 to 2199.
constexpr std::int64_t kMaxTimeUs = 7'258'118'400LL * 1'000'000;

absl::Status Wrong(std::string_view field, const std::string& description) {
  return common::InvalidField(field, description);
}

absl::Status CheckTime(std::string_view field, std::int64_t time_us) {
  if (time_us >= 0 && time_us < kMaxTimeUs) return absl::OkStatus();
  return Wrong(field,
               fmt::format("is {} us since 1970; give a time between 1970 and 2199", time_us));
}

absl::Status ReadTimes(const v1::Batch& batch, std::vector<model::Time>* times) {
  if (batch.time_delta_us_size() != batch.sample_count()) {
    return Wrong("batch.time_delta_us",
                 fmt::format("has {} entries; give one for each of the {} samples",
                             batch.time_delta_us_size(), batch.sample_count()));
  }
  std::int64_t time_us = 0;
  for (int i = 0; i < batch.time_delta_us_size(); ++i) {
    const std::string field = common::IndexPath("batch.time_delta_us", i);
    if (__builtin_add_overflow(time_us, batch.time_delta_us(i), &time_us)) {
      return Wrong(field, "leaves the range of times; send the difference to the sample before");
    }
    if (auto status = CheckTime(field, time_us); !status.ok()) return status;
    times->emplace_back(std::chrono::microseconds(time_us));
  }
  return absl::OkStatus();
}

absl::Status ReadMissing(const std::string& bits, std::size_t entry_count,
                         std::vector<bool>* missing) {
  if (bits.empty()) return absl::OkStatus();
  const std::size_t byte_count = (entry_count + 7) / 8;
  if (bits.size() != byte_count) {
    return Wrong("batch.missing_bits",
                 fmt::format("has {} bytes; {} entries need {}, or none when nothing is missing",
                             bits.size(), entry_count, byte_count));
  }
  missing->resize(entry_count);
  for (std::size_t i = 0; i < byte_count * 8; ++i) {
    const bool is_set = (static_cast<unsigned char>(bits[i / 8]) >> (i % 8) & 1) != 0;
    if (i < entry_count) {
      (*missing)[i] = is_set;
    } else if (is_set) {
      return Wrong(
          "batch.missing_bits",
          fmt::format("has bit {} set, but there are {} entries; clear it", i, entry_count));
    }
  }
  return absl::OkStatus();
}

// Row by row, modulo 2^64: the whole range of an unsigned counter survives.
void ReadInts(const v1::Batch& batch, std::vector<std::int64_t>* ints) {
  const auto column_count = static_cast<std::size_t>(batch.metric_count());
  const auto entry_count = static_cast<std::size_t>(batch.int_deltas_size());
  ints->resize(entry_count);
  for (std::size_t i = 0; i < entry_count; ++i) {
    const auto delta = static_cast<std::uint64_t>(batch.int_deltas(static_cast<int>(i)));
    const std::uint64_t before =
        i < column_count ? 0 : static_cast<std::uint64_t>((*ints)[i - column_count]);
    (*ints)[i] = static_cast<std::int64_t>(before + delta);
  }
}

absl::Status ReadDoubles(const v1::Batch& batch, const model::Source& source,
                         storage::SampleBatch* result) {
  const auto column_count = static_cast<std::size_t>(batch.metric_count());
  result->doubles.assign(batch.doubles().begin(), batch.doubles().end());
  for (std::size_t i = 0; i < result->doubles.size(); ++i) {
    const bool is_missing = !result->missing.empty() && result->missing[i];
    if (is_missing) {
      result->doubles[i] = 0;
    } else if (!std::isfinite(result->doubles[i])) {
      return Wrong(common::IndexPath("batch.doubles", static_cast<int>(i)),
                   fmt::format("of metric {} is {}; mark it in missing_bits",
                               source.metrics[i % column_count].name, result->doubles[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCounts(const v1::Batch& batch, const model::Source& source) {
  common::FieldChecks checks("batch");
  checks.Range("sample_count", batch.sample_count(), 1, kMaxSamples);
  checks.Range("metric_count", batch.metric_count(), 1,
               static_cast<std::int64_t>(source.metrics.size()));
  return checks.status();
}

absl::Status CheckShape(const v1::Batch& batch, const model::Source& source) {
  if (auto status = CheckCounts(batch, source); !status.ok()) return status;
  const std::int64_t entry_count = std::int64_t{batch.sample_count()} * batch.metric_count();
  const bool is_int = source.content == model::SourceContent::kIntSamples;
  const int used = is_int ? batch.int_deltas_size() : batch.doubles_size();
  const int unused = is_int ? batch.doubles_size() : batch.int_deltas_size();
  if (unused != 0) {
    return Wrong(
        is_int ? "batch.doubles" : "batch.int_deltas",
        fmt::format("is set, but source {} ({}) holds {}; use {}", source.source_id, source.name,
                    model::ToString(source.content), is_int ? "int_deltas" : "doubles"));
  }
  if (used != entry_count) {
    return Wrong(is_int ? "batch.int_deltas" : "batch.doubles",
                 fmt::format("has {} entries; sample_count * metric_count = {} are needed", used,
                             entry_count));
  }
  return absl::OkStatus();
}

// Of a batch with a block.
absl::Status CheckBlockFields(const v1::Batch& batch) {
  common::FieldChecks checks("batch");
  if (batch.int_deltas_size() + batch.doubles_size() > 0 || !batch.missing_bits().empty()) {
    checks.Fail("block", "is set beside int_deltas, doubles or missing_bits; send one of them");
  }
  if (batch.codec() != v1::BLOCK_CODEC_DELTA) {
    checks.Fail("codec", fmt::format("is {}; this server reads {}", static_cast<int>(batch.codec()),
                                     v1::BlockCodec_Name(v1::BLOCK_CODEC_DELTA)));
  }
  if (batch.time_delta_us_size() != 1) {
    checks.Fail("time_delta_us",
                fmt::format("has {} entries; with a block give the time of the first sample",
                            batch.time_delta_us_size()));
  }
  return checks.status();
}

}  // namespace

absl::StatusOr<storage::SampleBlock> BlockFromProto(const v1::Batch& batch,
                                                    const model::Source& source) {
  if (auto status = CheckCounts(batch, source); !status.ok()) return status;
  if (auto status = CheckBlockFields(batch); !status.ok()) return status;
  const codec::BlockShape shape{.sample_count = static_cast<std::size_t>(batch.sample_count()),
                                .metric_count = static_cast<std::size_t>(batch.metric_count()),
                                .begin_us = batch.time_delta_us(0),
                                .period_us = source.period_us};
  std::vector<std::int64_t> times_us;
  const bool are_doubles = source.content == model::SourceContent::kDoubleSamples;
  if (auto status = codec::CheckBlock(shape, batch.block(), are_doubles, &times_us); !status.ok()) {
    return Wrong("batch.block", fmt::format("cannot be taken: {}", std::string(status.message())));
  }
  for (const std::int64_t time_us : times_us) {
    if (auto status = CheckTime("batch.block", time_us); !status.ok()) return status;
  }
  return storage::SampleBlock{.first_seq = batch.first_seq(),
                              .sample_count = batch.sample_count(),
                              .metric_count = batch.metric_count(),
                              .begin_time = model::Time(std::chrono::microseconds(shape.begin_us)),
                              .period_us = source.period_us,
                              .codec = static_cast<std::int16_t>(batch.codec()),
                              .payload = batch.block()};
}

absl::StatusOr<SeqRange> CheckSeqRange(std::string_view first_field, std::int64_t first,
                                       std::string_view count_field, std::int64_t count) {
  if (first < 1) {
    return Wrong(first_field, fmt::format("is {}; numbers begin at 1 and are dense", first));
  }
  if (first > kMaxSeq) {
    return Wrong(first_field, fmt::format("is {}; numbers end at {}", first, kMaxSeq));
  }
  if (count < 1) return Wrong(count_field, fmt::format("is {}; must be at least 1", count));
  if (count > kMaxSeq) {
    return Wrong(count_field, fmt::format("is {}; must be at most {}", count, kMaxSeq));
  }
  return SeqRange{first, first + count - 1};
}

absl::StatusOr<storage::SampleBatch> FromProto(const v1::Batch& batch,
                                               const model::Source& source) {
  if (auto status = CheckShape(batch, source); !status.ok()) return status;
  storage::SampleBatch result;
  result.first_seq = batch.first_seq();
  result.metric_count = batch.metric_count();
  if (auto status = ReadTimes(batch, &result.times); !status.ok()) return status;
  const auto entry_count = static_cast<std::size_t>(batch.sample_count()) *
                           static_cast<std::size_t>(batch.metric_count());
  if (auto status = ReadMissing(batch.missing_bits(), entry_count, &result.missing); !status.ok()) {
    return status;
  }
  if (source.content == model::SourceContent::kIntSamples) {
    ReadInts(batch, &result.ints);
    return result;
  }
  if (auto status = ReadDoubles(batch, source, &result); !status.ok()) return status;
  return result;
}

absl::StatusOr<storage::StackCounts> FromProto(const v1::StackBatch& batch,
                                               std::span<const std::int64_t> dictionary) {
  common::FieldChecks checks("stack_batch");
  checks.Range("duration_us", batch.duration_us(), 0, kMaxWindowUs);
  if (!checks.ok()) return checks.status();
  if (auto status = CheckTime("stack_batch.begin_time_us", batch.begin_time_us()); !status.ok()) {
    return status;
  }
  if (batch.count_size() != batch.stack_index_size()) {
    return Wrong("stack_batch.count", fmt::format("has {} entries and stack_index {}; give one for "
                                                  "each stack",
                                                  batch.count_size(), batch.stack_index_size()));
  }
  // Two numbers of the dictionary may stand for one text.
  std::map<std::int64_t, std::int64_t> counts;
  for (int i = 0; i < batch.stack_index_size(); ++i) {
    const int index = batch.stack_index(i);
    if (index < 0 || static_cast<std::size_t>(index) >= dictionary.size()) {
      return Wrong(common::IndexPath("stack_batch.stack_index", i),
                   fmt::format("is {}, but the dictionary of this stream has {} stacks; send it "
                               "first",
                               index, dictionary.size()));
    }
    if (batch.count(i) < 1) {
      return Wrong(
          common::IndexPath("stack_batch.count", i),
          fmt::format("is {}; must be at least 1, leave out what did not occur", batch.count(i)));
    }
    if (batch.count(i) > kMaxStackCount) {
      return Wrong(common::IndexPath("stack_batch.count", i),
                   fmt::format("is {}; must be at most {}", batch.count(i), kMaxStackCount));
    }
    counts[dictionary[static_cast<std::size_t>(index)]] += batch.count(i);
  }
  storage::StackCounts result;
  result.seq = batch.seq();
  result.begin_time = model::Time(std::chrono::microseconds(batch.begin_time_us()));
  result.duration_us = batch.duration_us();
  for (const auto& [hash, count] : counts) {
    result.stack_hashes.push_back(hash);
    result.counts.push_back(count);
  }
  return result;
}

absl::StatusOr<storage::Observations> FromProto(const v1::ObservationBatch& batch,
                                                const model::Source& source) {
  common::FieldChecks checks("observation_batch");
  checks.Range("metric_index", batch.metric_index(), 0,
               static_cast<std::int64_t>(source.metrics.size()) - 1);
  checks.Range("values (their number)", batch.values_size(), 1, kMaxObservations);
  if (!checks.ok()) return checks.status();
  storage::Observations result;
  result.seq = batch.seq();
  result.metric_index = batch.metric_index();
  result.values.assign(batch.values().begin(), batch.values().end());
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    if (std::isfinite(result.values[i])) continue;
    return Wrong(common::IndexPath("observation_batch.values", static_cast<int>(i)),
                 fmt::format("is {}; leave it out", result.values[i]));
  }
  return result;
}

absl::StatusOr<std::vector<std::string>> FromProto(const v1::StackDictionary& stacks,
                                                   std::size_t known_count) {
  common::FieldChecks checks("stack_dictionary");
  if (stacks.first_index() != static_cast<std::int64_t>(known_count)) {
    checks.Fail("first_index", fmt::format("is {}; this stream has sent {} stacks, so {} is next",
                                           stacks.first_index(), known_count, known_count));
  }
  if (known_count + static_cast<std::size_t>(stacks.folded_size()) > kMaxStacks) {
    checks.Fail("folded", fmt::format("makes more than {} stacks; fold them coarser", kMaxStacks));
  }
  for (int i = 0; i < stacks.folded_size() && checks.ok(); ++i) {
    checks.Name(common::IndexPath("folded", i), stacks.folded(i), kMaxStackBytes);
  }
  if (!checks.ok()) return checks.status();
  return std::vector<std::string>(stacks.folded().begin(), stacks.folded().end());
}

absl::Status CheckReason(const v1::Gap& gap) {
  common::FieldChecks checks("gap");
  checks.Text("reason", gap.reason(), kMaxReasonBytes);
  return checks.status();
}

}  // namespace regressd::ingest
