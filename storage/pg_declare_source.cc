#include "storage/pg_declare_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "services/model/metric.h"
#include "storage/pg_open_run.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {
namespace {

constexpr char kAddSource[] =
    "INSERT INTO run_source (run_id, source_id, name, content, period_us) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
constexpr char kReadSource[] =
    "SELECT name, content, period_us FROM run_source WHERE run_id = $1 AND source_id = $2";
constexpr char kReadMetrics[] =
    "SELECT name, unit, kind, better, reduction, scale::text FROM run_metric "
    "WHERE run_id = $1 AND source_id = $2 ORDER BY ord";
constexpr char kAddMetrics[] = R"sql(
INSERT INTO run_metric (run_id, source_id, ord, name, unit, kind, better, reduction, scale)
SELECT $1, $2, $3 + m.ord, m.name, m.unit, m.kind, m.better, m.reduction, m.scale
FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::float8[])
  WITH ORDINALITY AS m(name, unit, kind, better, reduction, scale, ord))sql";
constexpr char kAddCursor[] =
    "INSERT INTO ingest_cursor (run_id, source_id, epoch, last_seq) VALUES ($1, $2, $3, 0) "
    "ON CONFLICT DO NOTHING";
constexpr char kReadCursor[] =
    "SELECT last_seq FROM ingest_cursor WHERE run_id = $1 AND source_id = $2";

std::string Describe(const model::Metric& metric) {
  return fmt::format("{} (unit '{}', {}, {}, {}, scale {})", metric.name, metric.unit,
                     model::ToString(metric.kind), model::ToString(metric.better),
                     model::ToString(metric.reduction), metric.scale);
}

absl::Status CheckSameSource(const model::Source& source, const PgRows& known) {
  const std::string_view content = model::ToString(source.content);
  if (known.Bytes(0, 0) == source.name && known.Bytes(0, 1) == content &&
      known.Int(0, 2) == source.period_us) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format(
      "source {} was declared as {} ({}, every {} us), not {} ({}, every {} us); give it "
      "another source_id",
      source.source_id, known.Bytes(0, 0), known.Bytes(0, 1), known.Int(0, 2), source.name, content,
      source.period_us));
}

// A stream may declare fewer than are known: an agent that started again meets its metrics anew.
absl::Status CheckSameMetrics(const model::Source& source,
                              const std::vector<model::Metric>& known) {
  const std::size_t common = std::min(known.size(), source.metrics.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (known[i] == source.metrics[i]) continue;
    return absl::InvalidArgumentError(
        fmt::format("source {} metrics[{}] was declared as {}, not {}; only append metrics",
                    source.source_id, i, Describe(known[i]), Describe(source.metrics[i])));
  }
  return absl::OkStatus();
}

absl::Status AddMetrics(LibpqConnection& connection, std::int64_t run_id,
                        const model::Source& source, std::size_t known_count) {
  if (source.metrics.size() <= known_count) return absl::OkStatus();
  std::vector<std::string> names, units, kinds, betters, reductions;
  std::vector<double> scales;
  for (std::size_t i = known_count; i < source.metrics.size(); ++i) {
    const model::Metric& metric = source.metrics[i];
    names.push_back(metric.name);
    units.push_back(metric.unit);
    kinds.emplace_back(model::ToString(metric.kind));
    betters.emplace_back(model::ToString(metric.better));
    reductions.emplace_back(model::ToString(metric.reduction));
    scales.push_back(metric.scale);
  }
  return connection
      .Query(kAddMetrics, Params(run_id, source.source_id, known_count, names, units, kinds,
                                 betters, reductions, scales)
                              .values())
      .status();
}

}  // namespace

absl::StatusOr<std::vector<model::Metric>> ReadMetrics(LibpqConnection& connection,
                                                       std::int64_t run_id,
                                                       std::int32_t source_id) {
  const auto rows = connection.Query(kReadMetrics, Params(run_id, source_id).values());
  if (!rows.ok()) return rows.status();
  std::vector<model::Metric> metrics;
  for (int i = 0; i < rows->size(); ++i) {
    model::Metric metric;
    metric.name = rows->Text(i, 0);
    metric.unit = rows->Text(i, 1);
    const std::string_view scale = rows->Bytes(i, 5);
    const bool readable =
        model::FromString(rows->Bytes(i, 2), &metric.kind) &&
        model::FromString(rows->Bytes(i, 3), &metric.better) &&
        model::FromString(rows->Bytes(i, 4), &metric.reduction) &&
        std::from_chars(scale.data(), scale.data() + scale.size(), metric.scale).ec == std::errc();
    if (!readable) {
      return absl::InternalError(
          fmt::format("metric {} of source {} is stored in a form that this version cannot read",
                      metric.name, source_id));
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

absl::StatusOr<model::RunState> LockRun(LibpqConnection& connection, std::int64_t run_id,
                                        std::int64_t epoch, const char* lock) {
  const auto run = connection.Query(
      fmt::format("SELECT epoch, state, run_uuid FROM run WHERE run_id = $1 {}", lock),
      Params(run_id).values());
  if (!run.ok()) return run.status();
  if (run->empty()) return absl::AbortedError("the run of this stream is not there any more");
  const auto state = IngestState(run->Bytes(0, 1), run->Bytes(0, 2));
  if (!state.ok()) return state.status();
  if (*state != model::RunState::kComplete && *state != model::RunState::kFailed &&
      run->Int(0, 0) != epoch) {
    return absl::AbortedError(
        fmt::format("a newer stream of run {} took over (epoch {}, this one has {})",
                    run->Bytes(0, 2), run->Int(0, 0), epoch));
  }
  return *state;
}

absl::StatusOr<std::int64_t> DeclareSourceIn(LibpqConnection& connection, std::int64_t run_id,
                                             std::int64_t epoch, const model::Source& source) {
  const auto state = LockRun(connection, run_id, epoch, "FOR SHARE");
  if (!state.ok()) return state.status();
  const auto added =
      connection.Query(kAddSource, Params(run_id, source.source_id, source.name,
                                          model::ToString(source.content), source.period_us)
                                       .values());
  if (!added.ok()) return added.status();
  const auto known = connection.Query(kReadSource, Params(run_id, source.source_id).values());
  if (!known.ok()) return known.status();
  if (auto status = CheckSameSource(source, *known); !status.ok()) return status;

  const auto metrics = ReadMetrics(connection, run_id, source.source_id);
  if (!metrics.ok()) return metrics.status();
  if (auto status = CheckSameMetrics(source, *metrics); !status.ok()) return status;
  if (auto status = AddMetrics(connection, run_id, source, metrics->size()); !status.ok()) {
    return status;
  }
  const auto cursor =
      connection.Query(kAddCursor, Params(run_id, source.source_id, epoch).values());
  if (!cursor.ok()) return cursor.status();
  const auto last = connection.Query(kReadCursor, Params(run_id, source.source_id).values());
  if (!last.ok()) return last.status();
  return last->Int(0, 0);
}

}  // namespace regressd::storage
