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
      MicrosColumn("g.create_time"), MicrosColumn("g.update_time"));
}

KnownRegression ReadRegression(const pqxx::row& row) {
  KnownRegression known;
  model::Regression& regression = known.regression;
  regression.facts = FactsFromJson(Get<std::string>(row[9])).facts;
  regression.regression_id = Get<std::int64_t>(row[0]);
  regression.state = GetEnum<model::RegressionState>(row[4]);
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

std::string SelectedRegression::name() const {
  return fmt::format("regression {}", position.regression_id);
}

std::vector<SelectedRegression> SelectRegressions(pqxx::transaction_base& transaction,
                                                  const std::string& tail, const Params& params,
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
  if (ids.empty()) return {};
  const auto axes = LoadAxes(transaction, axes_ids);
  const auto commits = LoadCommits(transaction, commit_ids);
  auto metrics = LoadMetrics(transaction, ids, wanted == MetricsWanted::kHeadline);
  std::vector<SelectedRegression> regressions;
  for (const auto& row : rows) {
    const auto regression_id = Get<std::int64_t>(row[0]);
    SelectedRegression& selected = regressions.emplace_back(SelectedRegression{
        .position = {.create_time = PlaceOf(row[11]), .regression_id = regression_id},
        .known = TryRead([&] { return ReadRegression(row); })});
    if (!selected.known.ok()) continue;
    const auto& base = commits.at(Get<std::string>(row[2]));
    const auto& head = commits.at(Get<std::string>(row[3]));
    auto& metrics_of_it = metrics.at(regression_id);
    if (!base.ok() || !head.ok() || !metrics_of_it.ok()) {
      selected.known = !base.ok()   ? base.status()
                       : !head.ok() ? head.status()
                                    : metrics_of_it.status();
      continue;
    }
    model::Regression& regression = selected.known->regression;
    regression.axes = axes.at(Get<std::int64_t>(row[1]));
    regression.base = *base;
    regression.head = *head;
    regression.metrics = *std::move(metrics_of_it);
  }
  return regressions;
}

absl::StatusOr<std::vector<KnownRegression>> SelectReadable(pqxx::transaction_base& transaction,
                                                            const std::string& tail,
                                                            const Params& params,
                                                            MetricsWanted wanted) {
  std::vector<KnownRegression> known;
  for (SelectedRegression& selected : SelectRegressions(transaction, tail, params, wanted)) {
    if (!selected.known.ok()) return CannotRead(selected.name(), selected.known.status());
    known.push_back(*std::move(selected.known));
  }
  return known;
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
                     MicrosColumn("e.event_time"));
}

model::RegressionEvent ReadEvent(const pqxx::row& row) {
  return {.event_id = Get<std::int64_t>(row[0]),
          .regression_id = Get<std::int64_t>(row[1]),
          .state = GetEnum<model::RegressionState>(row[2]),
          .event_time = TimeOf(row[3]),
          .created_by = Get<std::string>(row[4]),
          .comment = Get<std::string>(row[5])};
}

}  // namespace regressd::storage
