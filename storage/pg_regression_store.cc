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
  auto found = SelectReadable(transaction, "WHERE g.regression_id = $1::int8",
                              Params(regression_id), MetricsWanted::kAll);
  if (!found.ok()) return found.status();
  if (found->empty()) return NoRegression(regression_id);
  return std::move(found->front().regression);
}

}  // namespace

absl::StatusOr<std::vector<ListedRegression>> PgRegressionStore::ListRegressions(
    const RegressionFilter& filter, std::optional<RegressionPosition> after, std::int32_t limit) {
  using Regressions = absl::StatusOr<std::vector<ListedRegression>>;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Regressions {
        Conditions where;
        if (!filter.states.empty()) where.Add("g.state = ANY({}::text[])", TextsOf(filter.states));
        if (filter.head_commit_id) where.Add("g.head_commit_id = {}", *filter.head_commit_id);
        where.AddAxes("g.axes_id", filter.axes);
        if (after) {
          const std::string instant = InstantOf(where.Bind(ToMicros(after->create_time)));
          where.Add("(g.create_time, g.regression_id) < (" + instant + ", {}::int8)",
                    after->regression_id);
        }
        std::vector<ListedRegression> regressions;
        for (SelectedRegression& selected : SelectRegressions(
                 transaction,
                 fmt::format("{} ORDER BY g.create_time DESC, g.regression_id DESC LIMIT {}",
                             where.clause(), limit),
                 where.params(), MetricsWanted::kHeadline)) {
          ListedRegression& listed = regressions.emplace_back();
          listed.position = selected.position;
          listed.name = selected.name();
          if (selected.known.ok()) {
            listed.noun = std::move(selected.known->regression);
          } else {
            listed.noun = selected.known.status();
          }
        }
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
        for (const auto& row : rows) {
          auto event = TryRead([&] { return ReadEvent(row); });
          if (!event.ok()) {
            return CannotRead(
                fmt::format("event {} of regression {}", Get<std::string>(row[0]), regression_id),
                event.status());
          }
          result.events.push_back(*std::move(event));
        }
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

absl::StatusOr<std::vector<ListedChange>> PgRegressionStore::ListChanges(std::int64_t event_id,
                                                                         std::int32_t limit) {
  using Changes = absl::StatusOr<std::vector<ListedChange>>;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Changes {
        const pqxx::result rows =
            Exec(transaction,
                 fmt::format("SELECT {} FROM regression_event e WHERE e.event_id > $1::int8 "
                             "ORDER BY e.event_id LIMIT {}",
                             EventColumns(), limit),
                 event_id);
        std::vector<std::int64_t> ids;
        for (const auto& row : rows) ids.push_back(Get<std::int64_t>(row[1]));
        std::map<std::int64_t, absl::StatusOr<KnownRegression>> by_id;
        for (SelectedRegression& selected :
             SelectRegressions(transaction, "WHERE g.regression_id = ANY($1::int8[])", Params(ids),
                               MetricsWanted::kHeadline)) {
          by_id.insert_or_assign(selected.position.regression_id, std::move(selected.known));
        }
        std::vector<ListedChange> changes;
        for (const auto& row : rows) {
          const auto id = Get<std::int64_t>(row[0]);
          const auto regression_id = Get<std::int64_t>(row[1]);
          const auto& known = by_id.at(regression_id);
          const auto event = TryRead([&] { return ReadEvent(row); });
          ListedChange& change = changes.emplace_back();
          change.position = id;
          change.name = fmt::format("event {} of regression {}", id, regression_id);
          if (event.ok() && known.ok()) {
            change.noun = RegressionChange{*event, known->regression};
          } else {
            change.noun = event.ok() ? known.status() : event.status();
          }
        }
        return changes;
      });
}

}  // namespace regressd::storage
