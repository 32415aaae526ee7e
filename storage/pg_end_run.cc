#include "storage/pg_end_run.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "storage/pg_declare_source.h"
#include "storage/pg_reduce_run.h"
#include "storage/pqxx_compat.h"
#include "storage/row_codec.h"

namespace regressd::storage {
namespace {

constexpr char kCloseRun[] = R"sql(
UPDATE run SET state = $2, end_time = 'epoch'::timestamptz + $3::int8 * interval '1 microsecond',
  exit_status = $4, term_signal = $5, failure = $6, last_output = $7::text[],
  monitor_notes = monitor_notes || $8::jsonb, last_seen_time = clock_timestamp()
WHERE run_id = $1)sql";

// No conflict target: two runs that end together may meet in either unique index.
constexpr char kAddMetricNames[] =
    "INSERT INTO metric (metric_id, name) SELECT i, n FROM unnest($1::int8[], $2::text[]) AS m(i, "
    "n) "
    "ORDER BY i ON CONFLICT DO NOTHING";
constexpr char kFindCollision[] =
    "SELECT m.name, x.n FROM metric m JOIN unnest($1::int8[], $2::text[]) AS x(i, n) "
    "ON m.metric_id = x.i WHERE m.name <> x.n LIMIT 1";
constexpr char kAddRunValues[] = R"sql(
INSERT INTO run_value (run_id, metric_id, value, sample_count, unit, kind, better, reduction)
SELECT $1, v.* FROM unnest($2::int8[], $3::float8[], $4::int8[], $5::text[], $6::text[], $7::text[],
                           $8::text[]) AS v)sql";
constexpr char kAddDue[] =
    "INSERT INTO detection_due (run_id, axes_id, commit_id) "
    "SELECT run_id, axes_id, commit_id FROM run WHERE run_id = $1 ON CONFLICT DO NOTHING";

absl::Status StoreValues(LibpqConnection& connection, std::int64_t run_id,
                         const ReducedValues& reduced) {
  std::vector<std::int64_t> ids, sample_counts;
  std::vector<std::string> names, units, kinds, betters, reductions;
  std::vector<double> values;
  for (const auto& [name, value] : reduced.values()) {
    ids.push_back(model::MetricId(name));
    names.push_back(name);
    values.push_back(value.value);
    sample_counts.push_back(value.sample_count);
    units.push_back(value.metric.unit);
    kinds.emplace_back(model::ToString(value.metric.kind));
    betters.emplace_back(model::ToString(value.metric.better));
    reductions.emplace_back(model::ToString(value.metric.reduction));
  }
  const Params with_names(ids, names);
  if (auto added = connection.Query(kAddMetricNames, with_names.values()); !added.ok()) {
    return added.status();
  }
  const auto collision = connection.Query(kFindCollision, with_names.values());
  if (!collision.ok()) return collision.status();
  if (!collision->empty()) {
    return absl::InvalidArgumentError(
        fmt::format("metric {} has the id of metric {}; rename one of them", collision->Bytes(0, 1),
                    collision->Bytes(0, 0)));
  }
  return connection
      .Query(kAddRunValues,
             Params(run_id, ids, values, sample_counts, units, kinds, betters, reductions).values())
      .status();
}

absl::Status CloseRun(LibpqConnection& connection, std::int64_t run_id, model::RunState state,
                      const model::RunOutcome& outcome) {
  const Params row(run_id, model::ToString(state), outcome.end_time.time_since_epoch().count(),
                   outcome.exit_status, outcome.term_signal, outcome.failure,
                   outcome.last_output_lines, NotesToJson(outcome.monitor_notes));
  if (auto closed = connection.Query(kCloseRun, row.values()); !closed.ok()) {
    return closed.status();
  }
  if (state != model::RunState::kComplete) return absl::OkStatus();
  return connection.Query(kAddDue, Params(run_id).values()).status();
}

bool HasEnded(model::RunState state) {
  return state == model::RunState::kComplete || state == model::RunState::kFailed;
}

}  // namespace

absl::StatusOr<model::RunState> EndRunIn(LibpqConnection& connection, std::int64_t run_id,
                                         std::int64_t epoch, const model::RunOutcome& outcome) {
  // Without a lock: spares the work when the end is already stored or another stream took over.
  auto state = LockRun(connection, run_id, epoch, "");
  if (!state.ok() || HasEnded(*state)) return state;
  const auto values = ReduceRun(connection, run_id);
  if (!values.ok()) return values.status();

  state = LockRun(connection, run_id, epoch, "FOR UPDATE");
  if (!state.ok() || HasEnded(*state)) return state;
  const auto ended = outcome.failed() ? model::RunState::kFailed : model::RunState::kComplete;
  if (auto status = StoreValues(connection, run_id, *values); !status.ok()) return status;
  if (auto status = CloseRun(connection, run_id, ended, values->WithNotes(outcome)); !status.ok())
    return status;
  return ended;
}

}  // namespace regressd::storage
