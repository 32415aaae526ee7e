#include "storage/pg_regression_rows.h"

#include <utility>

#include "storage/pg_metric_rows.h"
#include "storage/pg_rows.h"
#include "storage/row_codec.h"

namespace regressd::storage {
namespace {

// Any number; only writers of regressions and events take it.
constexpr std::int64_t kEventsLock = 0x6576656e7473;  // "events"

std::string RegressionColumns() {
  return fmt::format(
      "g.regression_id, g.axes_id, g.base_commit_id, g.head_commit_id, g.state, "
      "g.state_by_person, g.muted AND (g.mute_end_time IS NULL OR "
      "g.mute_end_time > clock_timestamp()), g.title, g.headline_metric, g.facts::text, g.version, "
      "{}, {}, g.created_by",
      MicrosOf("g.create_time"), MicrosOf("g.update_time"));
}

model::RegressionState ReadState(const pqxx::field& field) {
  const std::string text = Get<std::string>(field);
  model::RegressionState state = model::RegressionState::kNew;
  if (!model::FromString(text, &state)) {
    throw std::runtime_error(fmt::format("a regression has the unknown state {}", text));
  }
  return state;
}

absl::StatusOr<KnownRegression> ReadRegression(const pqxx::row& row) {
  KnownRegression known;
  model::Regression& regression = known.regression;
  regression.facts = FactsFromJson(Get<std::string>(row[9])).facts;
  regression.regression_id = Get<std::int64_t>(row[0]);
  regression.state = ReadState(row[4]);
  known.state_by_person = Get<bool>(row[5]);
  regression.muted = Get<bool>(row[6]);
  regression.title = Get<std::string>(row[7]);
  regression.headline_metric = Get<std::string>(row[8]);
  regression.version = Get<std::int64_t>(row[10]);
  regression.create_time = TimeOf(row[11]);
  regression.update_time = TimeOf(row[12]);
  regression.created_by = Get<std::string>(row[13]);
  return known;
}

}  // namespace

absl::StatusOr<std::vector<KnownRegression>> SelectRegressions(pqxx::transaction_base& transaction,
                                                               const std::string& tail,
                                                               const Params& params,
                                                               MetricsWanted wanted) {
  const pqxx::result rows = ExecParams(
      transaction, "SELECT " + RegressionColumns() + " FROM regression g " + tail, params);
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> axes_ids;
  std::vector<std::string> commit_ids;
  for (const auto& row : rows) {
    ids.push_back(Get<std::int64_t>(row[0]));
    axes_ids.push_back(Get<std::int64_t>(row[1]));
    commit_ids.push_back(Get<std::string>(row[2]));
    commit_ids.push_back(Get<std::string>(row[3]));
  }
  if (ids.empty()) return std::vector<KnownRegression>{};
  const auto axes = LoadAxes(transaction, axes_ids);
  const auto commits = LoadCommits(transaction, commit_ids);
  auto metrics = LoadMetrics(transaction, ids, wanted == MetricsWanted::kHeadline);
  std::vector<KnownRegression> regressions;
  for (const auto& row : rows) {
    auto known = ReadRegression(row);
    if (!known.ok()) return known.status();
    known->regression.axes = axes.at(Get<std::int64_t>(row[1]));
    known->regression.base = commits.at(Get<std::string>(row[2]));
    known->regression.head = commits.at(Get<std::string>(row[3]));
    known->regression.metrics = std::move(metrics[known->regression.regression_id]);
    regressions.push_back(*std::move(known));
  }
  return regressions;
}

void LockEvents(pqxx::transaction_base& transaction) {
  Exec(transaction, "SELECT pg_advisory_xact_lock($1::int8)", kEventsLock);
}

std::int64_t InsertRegression(pqxx::transaction_base& transaction, std::int64_t axes_id,
                              std::string_view base_commit_id, std::string_view head_commit_id,
                              model::RegressionState state, const model::Regression& found) {
  const pqxx::result rows =
      Exec(transaction,
           "INSERT INTO regression (axes_id, base_commit_id, head_commit_id, state, title, "
           "headline_metric, facts, created_by) "
           "VALUES ($1::int8, $2, $3, $4, $5, $6, $7::jsonb, $8) RETURNING regression_id",
           axes_id, base_commit_id, head_commit_id, model::ToString(state), found.title,
           found.headline_metric, FactsToJson(found.facts), kWorkerName);
  const auto regression_id = Get<std::int64_t>(rows[0][0]);
  InsertMetrics(transaction, regression_id, found.metrics);
  return regression_id;
}

void UpdateFinding(pqxx::transaction_base& transaction, std::int64_t regression_id,
                   model::RegressionState state, const model::Regression& found) {
  Exec(transaction,
       "UPDATE regression SET state = $2, title = $3, headline_metric = $4, facts = $5::jsonb, "
       "version = version + 1, update_time = clock_timestamp() WHERE regression_id = $1::int8",
       regression_id, model::ToString(state), found.title, found.headline_metric,
       FactsToJson(found.facts));
  Exec(transaction, "DELETE FROM regression_metric WHERE regression_id = $1::int8", regression_id);
  InsertMetrics(transaction, regression_id, found.metrics);
}

void UpdateState(pqxx::transaction_base& transaction, std::int64_t regression_id,
                 model::RegressionState state, StateBy by) {
  Exec(transaction,
       "UPDATE regression SET state = $2, state_by_person = state_by_person OR $3::bool, "
       "version = version + 1, update_time = clock_timestamp() WHERE regression_id = $1::int8",
       regression_id, model::ToString(state), by == StateBy::kPerson);
}

void AddEvent(pqxx::transaction_base& transaction, std::int64_t regression_id,
              model::RegressionState state, std::string_view created_by, std::string_view comment) {
  Exec(transaction,
       "INSERT INTO regression_event (regression_id, state, created_by, comment) "
       "VALUES ($1::int8, $2, $3, $4)",
       regression_id, model::ToString(state), created_by, comment);
}

std::string EventColumns() {
  return fmt::format("e.event_id, e.regression_id, e.state, {}, e.created_by, e.comment",
                     MicrosOf("e.event_time"));
}

model::RegressionEvent ReadEvent(const pqxx::row& row) {
  return {.event_id = Get<std::int64_t>(row[0]),
          .regression_id = Get<std::int64_t>(row[1]),
          .state = ReadState(row[2]),
          .event_time = TimeOf(row[3]),
          .created_by = Get<std::string>(row[4]),
          .comment = Get<std::string>(row[5])};
}

}  // namespace regressd::storage
