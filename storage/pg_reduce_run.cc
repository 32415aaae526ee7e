#include "storage/pg_reduce_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/analysis/profile_shares.h"
#include "services/analysis/reduce.h"
#include "services/analysis/reduce_observations.h"
#include "services/model/run.h"
#include "storage/big_endian.h"
#include "storage/binary_array.h"
#include "storage/pg_declare_source.h"
#include "storage/pqxx_compat.h"
#include "storage/stored_block.h"

namespace regressd::storage {
namespace {

struct StoredSource {
  std::int32_t source_id = 0;
  std::string name;
  model::SourceContent content = model::SourceContent::kIntSamples;
  std::vector<model::Metric> metrics;
};

absl::StatusOr<std::vector<StoredSource>> ReadSources(LibpqConnection& connection,
                                                      std::int64_t run_id) {
  const auto rows = connection.Query(
      "SELECT source_id, content, name FROM run_source WHERE run_id = $1 ORDER BY source_id",
      Params(run_id).values());
  if (!rows.ok()) return rows.status();
  std::vector<StoredSource> sources;
  for (int i = 0; i < rows->size(); ++i) {
    StoredSource source;
    source.source_id = static_cast<std::int32_t>(rows->Int(i, 0));
    source.name = rows->Text(i, 2);
    if (!model::FromString(rows->Bytes(i, 1), &source.content)) {
      return absl::InternalError(fmt::format("source {} holds {}, which this version does not know",
                                             source.source_id, rows->Bytes(i, 1)));
    }
    auto metrics = ReadMetrics(connection, run_id, source.source_id);
    if (!metrics.ok()) return metrics.status();
    source.metrics = *std::move(metrics);
    sources.push_back(std::move(source));
  }
  return sources;
}

absl::Status Damaged(std::int32_t source_id) {
  return absl::InternalError(
      fmt::format("source {} has a row that is no array of its metrics", source_id));
}

using Reducers = std::vector<analysis::SeriesReducer>;

// Samples as rows and as blocks, each only once: a block's come first, where one has both.
constexpr char kSamples[] = R"sql(
SELECT seq, {0}, NULL::int8, NULL::int8, NULL::int8, NULL::bytea
FROM sample_row WHERE run_id = $1 AND source_id = $2
UNION ALL
SELECT seq, NULL, nsamples::int8, nmetrics::int8, codec::int8, payload
FROM sample_block WHERE run_id = $1 AND source_id = $2
ORDER BY 1, 3 NULLS LAST)sql";

std::int64_t IntOf(const PgRows& row, int column) {
  return static_cast<std::int64_t>(LoadBigEndian<std::uint64_t>(row.Bytes(0, column).data()));
}

void Add(std::uint64_t bits, bool is_int, analysis::SeriesReducer* reducer) {
  if (is_int) {
    reducer->AddInt(static_cast<std::int64_t>(bits));
  } else {
    reducer->AddDouble(std::bit_cast<double>(bits));
  }
}

absl::Status AddRow(std::string_view array, const StoredSource& source, Reducers* reducers) {
  const bool is_int = source.content == model::SourceContent::kIntSamples;
  const std::int64_t count = ForEachElement(array, [&](std::size_t index, std::uint64_t bits) {
    if (index < reducers->size()) Add(bits, is_int, &(*reducers)[index]);
  });
  const bool fits = count >= 0 && count <= static_cast<std::int64_t>(reducers->size());
  return fits ? absl::OkStatus() : Damaged(source.source_id);
}

/// The samples of a block behind number `last_seq`.
absl::Status AddBlock(const StoredBlock& block, std::int64_t last_seq, const StoredSource& source,
                      codec::Columns* columns, Reducers* reducers) {
  if (auto status = Decode(block, columns); !status.ok()) return status;
  const bool is_int = source.content == model::SourceContent::kIntSamples;
  const auto count = static_cast<std::size_t>(block.sample_count);
  const auto metric_count = static_cast<std::size_t>(block.metric_count);
  if (metric_count > reducers->size()) return Damaged(source.source_id);
  const auto first =
      static_cast<std::size_t>(std::max(std::int64_t{0}, last_seq + 1 - block.first_seq));
  for (std::size_t metric = 0; metric < metric_count; ++metric) {
    for (std::size_t i = first; i < count; ++i) {
      const std::size_t at = metric * count + i;
      if (!columns->missing.empty() && columns->missing[at] != 0) continue;
      Add(columns->values[at], is_int, &(*reducers)[metric]);
    }
  }
  return absl::OkStatus();
}

absl::Status ReduceSamples(LibpqConnection& connection, std::int64_t run_id,
                           const StoredSource& source, ReducedValues* values) {
  Reducers reducers(source.metrics.begin(), source.metrics.end());
  codec::Columns columns;
  std::int64_t last_seq = 0;
  const auto take = [&](const PgRows& row) {
    const std::int64_t seq = IntOf(row, 0);
    if (row.IsNull(0, 2)) {
      if (seq <= last_seq) return absl::OkStatus();
      last_seq = seq;
      return AddRow(row.Bytes(0, 1), source, &reducers);
    }
    const StoredBlock block{.first_seq = seq,
                            .sample_count = IntOf(row, 2),
                            .metric_count = IntOf(row, 3),
                            .codec = IntOf(row, 4),
                            .payload = row.Text(0, 5)};
    if (block.last_seq() <= last_seq) return absl::OkStatus();
    return AddBlock(block, std::exchange(last_seq, block.last_seq()), source, &columns, &reducers);
  };
  const bool is_int = source.content == model::SourceContent::kIntSamples;
  const absl::Status read = connection.Stream(fmt::format(kSamples, is_int ? "ints" : "reals"),
                                              Params(run_id, source.source_id).values(), take);
  if (!read.ok()) return read;
  for (std::size_t i = 0; i < reducers.size(); ++i) {
    const std::optional<double> value = reducers[i].Value();
    if (!value) continue;
    values->Add(source.source_id, source.name, source.metrics[i], *value,
                reducers[i].sample_count());
  }
  return absl::OkStatus();
}

absl::Status ReduceObserved(LibpqConnection& connection, std::int64_t run_id,
                            const StoredSource& source, std::size_t index, ReducedValues* values) {
  std::vector<double> observations;
  const absl::Status read = connection.Stream(
      "SELECT reals FROM observation_row WHERE run_id = $1 AND source_id = $2 AND ord = $3 "
      "ORDER BY seq",
      Params(run_id, source.source_id, index + 1).values(), [&](const PgRows& row) {
        const std::int64_t count =
            ForEachElement(row.Bytes(0, 0), [&](std::size_t, std::uint64_t bits) {
              observations.push_back(std::bit_cast<double>(bits));
            });
        return count >= 0 ? absl::OkStatus() : Damaged(source.source_id);
      });
  if (!read.ok()) return read;
  for (const analysis::ObservationValue& reduced :
       analysis::ReduceObservations(source.metrics[index], observations)) {
    values->Add(source.source_id, source.name, reduced.metric, reduced.value,
                reduced.observation_count);
  }
  return absl::OkStatus();
}

// The most frequent first: ProfileShares may leave out what comes last.
constexpr char kStacks[] = R"sql(
SELECT d.folded, c.n
FROM (SELECT stack_hash, sum(n)::float8 AS n FROM stack_count WHERE run_id = $1 AND source_id = $2
      GROUP BY stack_hash) c
JOIN stack_dict d ON d.run_id = $1 AND d.stack_hash = c.stack_hash
ORDER BY c.n DESC, c.stack_hash)sql";

absl::Status ReduceStacks(LibpqConnection& connection, std::int64_t run_id,
                          const StoredSource& source, ReducedValues* values) {
  analysis::ProfileShares profile;
  const absl::Status read = connection.Stream(
      kStacks, Params(run_id, source.source_id).values(), [&profile](const PgRows& row) {
        const auto bits = LoadBigEndian<std::uint64_t>(row.Bytes(0, 1).data());
        profile.Add(row.Bytes(0, 0), std::bit_cast<double>(bits));
        return absl::OkStatus();
      });
  if (!read.ok()) return read;
  if (!source.metrics.empty()) {
    values->AddProfile(source.source_id, source.name, source.metrics.front(), profile);
  }
  return absl::OkStatus();
}

absl::Status ReduceObservations(LibpqConnection& connection, std::int64_t run_id,
                                const StoredSource& source, ReducedValues* values) {
  for (std::size_t i = 0; i < source.metrics.size(); ++i) {
    auto status = ReduceObserved(connection, run_id, source, i, values);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReduceSource(LibpqConnection& connection, std::int64_t run_id,
                          const StoredSource& source, ReducedValues* values) {
  switch (source.content) {
    case model::SourceContent::kStacks:
      return ReduceStacks(connection, run_id, source, values);
    case model::SourceContent::kObservations:
      return ReduceObservations(connection, run_id, source, values);
    default:
      return ReduceSamples(connection, run_id, source, values);
  }
}

}  // namespace

absl::StatusOr<ReducedValues> ReduceRun(LibpqConnection& connection, std::int64_t run_id) {
  const auto sources = ReadSources(connection, run_id);
  if (!sources.ok()) return sources.status();
  ReducedValues values;
  for (const StoredSource& source : *sources) {
    auto status = ReduceSource(connection, run_id, source, &values);
    if (!status.ok()) return status;
  }
  return values;
}

}  // namespace regressd::storage
