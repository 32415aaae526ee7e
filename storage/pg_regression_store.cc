#include "storage/pg_regression_store.h"

#include <map>
#include <utility>

#include "storage/pg_regression_rows.h"
#include "storage/pg_rows.h"
#include "storage/regression_rules.h"

namespace regressd::storage {
namespace {

absl::Status NoRegression(std::int64_t regression_id) {
  return absl::NotFoundError(fmt::format("there is no regression {}", regression_id));
}

std::vector<std::string> TextsOf(const std::vector<model::RegressionState>& states) {
  std::vector<std::string> texts;
  for (const model::RegressionState state : states) texts.emplace_back(model::ToString(state));
  return texts;
}

absl::StatusOr<model::Regression> SelectOne(pqxx::transaction_base& transaction,
                                            std::int64_t regression_id) {
  auto found = SelectRegressions(transaction, "WHERE g.regression_id = $1::int8",
                                 Params(regression_id), MetricsWanted::kAll);
  if (!found.ok()) return found.status();
  if (found->empty()) return NoRegression(regression_id);
  return std::move(found->front().regression);
}

}  // namespace

absl::StatusOr<std::vector<model::Regression>> PgRegressionStore::ListRegressions(
    const RegressionFilter& filter, std::optional<RegressionPosition> after, std::int32_t limit) {
  using Regressions = absl::StatusOr<std::vector<model::Regression>>;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Regressions {
        Conditions where;
        if (!filter.states.empty()) where.Add("g.state = ANY({}::text[])", TextsOf(filter.states));
        if (filter.head_commit_id) where.Add("g.head_commit_id = {}", *filter.head_commit_id);
        where.AddAxes("g.axes_id", filter.axes);
        if (after) {
          where.Add("(g.create_time, g.regression_id) < (" + InstantOf("{}") + ", {}::int8)",
                    ToMicros(after->create_time), after->regression_id);
        }
        auto known = SelectRegressions(
            transaction,
            fmt::format("{} ORDER BY g.create_time DESC, g.regression_id DESC LIMIT {}",
                        where.clause(), limit),
            where.params(), MetricsWanted::kHeadline);
        if (!known.ok()) return known.status();
        std::vector<model::Regression> regressions;
        for (KnownRegression& k : *known) regressions.push_back(std::move(k.regression));
        return regressions;
      });
}

absl::StatusOr<RegressionWithEvents> PgRegressionStore::GetRegression(std::int64_t regression_id) {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<RegressionWithEvents> {
        auto regression = SelectOne(transaction, regression_id);
        if (!regression.ok()) return regression.status();
        RegressionWithEvents result{.regression = *std::move(regression), .events = {}};
        const pqxx::result rows = Exec(
            transaction,
            "SELECT " + EventColumns() +
                " FROM regression_event e WHERE e.regression_id = $1::int8 ORDER BY e.event_id",
            regression_id);
        for (const auto& row : rows) result.events.push_back(ReadEvent(row));
        return result;
      });
}

absl::StatusOr<model::Regression> PgRegressionStore::SetState(
    std::int64_t regression_id, model::RegressionState state, std::string_view comment,
    std::string_view changed_by, std::optional<std::int64_t> expected_version) {
  if (auto status = CheckStateChange(state, comment, changed_by); !status.ok()) return status;
  return InTransaction(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<model::Regression> {
        LockEvents(transaction);
        const auto known = SelectOne(transaction, regression_id);
        if (!known.ok()) return known.status();
        if (auto status = CheckVersion(*known, expected_version); !status.ok()) return status;
        UpdateState(transaction, regression_id, state, StateBy::kPerson);
        AddEvent(transaction, regression_id, state, changed_by, comment);
        return SelectOne(transaction, regression_id);
      });
}

absl::StatusOr<std::int64_t> PgRegressionStore::LastEventId() {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::int64_t> {
        const pqxx::result rows =
            Exec(transaction, "SELECT coalesce(max(event_id), 0) FROM regression_event");
        return Get<std::int64_t>(rows[0][0]);
      });
}

absl::StatusOr<std::vector<RegressionChange>> PgRegressionStore::ListChanges(std::int64_t event_id,
                                                                             std::int32_t limit) {
  using Changes = absl::StatusOr<std::vector<RegressionChange>>;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Changes {
        const pqxx::result rows =
            Exec(transaction,
                 fmt::format("SELECT {} FROM regression_event e WHERE e.event_id > $1::int8 "
                             "ORDER BY e.event_id LIMIT {}",
                             EventColumns(), limit),
                 event_id);
        std::vector<RegressionChange> changes;
        std::vector<std::int64_t> ids;
        for (const auto& row : rows) {
          changes.emplace_back().event = ReadEvent(row);
          ids.push_back(changes.back().event.regression_id);
        }
        auto known = SelectRegressions(transaction, "WHERE g.regression_id = ANY($1::int8[])",
                                       Params(ids), MetricsWanted::kHeadline);
        if (!known.ok()) return known.status();
        std::map<std::int64_t, model::Regression> by_id;
        for (KnownRegression& k : *known) {
          by_id[k.regression.regression_id] = std::move(k.regression);
        }
        for (RegressionChange& change : changes) {
          change.regression = by_id.at(change.event.regression_id);
        }
        return changes;
      });
}

}  // namespace regressd::storage
