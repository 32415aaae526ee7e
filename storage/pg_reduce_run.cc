#include "storage/pg_reduce_run.h"

#include <fmt/format.h>

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

absl::Status AddRow(std::string_view array, bool is_int,
                    std::vector<analysis::SeriesReducer>* reducers) {
  const std::int64_t count = ForEachElement(array, [&](std::size_t index, std::uint64_t bits) {
    if (index >= reducers->size()) return;
    if (is_int) {
      (*reducers)[index].AddInt(static_cast<std::int64_t>(bits));
    } else {
      (*reducers)[index].AddDouble(std::bit_cast<double>(bits));
    }
  });
  const bool fits = count >= 0 && count <= static_cast<std::int64_t>(reducers->size());
  return fits ? absl::OkStatus() : absl::InternalError("");
}

absl::Status ReduceSamples(LibpqConnection& connection, std::int64_t run_id,
                           const StoredSource& source, ReducedValues* values) {
  std::vector<analysis::SeriesReducer> reducers(source.metrics.begin(), source.metrics.end());
  const bool is_int = source.content == model::SourceContent::kIntSamples;
  const absl::Status read = connection.Stream(
      fmt::format("SELECT {} FROM sample_row WHERE run_id = $1 AND source_id = $2 ORDER BY seq",
                  is_int ? "ints" : "reals"),
      Params(run_id, source.source_id).values(), [&](const PgRows& row) {
        return AddRow(row.Bytes(0, 0), is_int, &reducers).ok() ? absl::OkStatus()
                                                               : Damaged(source.source_id);
      });
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
