#include "storage/pg_run_store.h"

#include "storage/pg_rows.h"
#include "storage/pg_run_rows.h"
#include "storage/run_prefix.h"

namespace regressd::storage {
namespace {

// Enough to name a few when a prefix is too short.
constexpr int kPrefixHits = 4;

void AddState(model::RunState state, Conditions* where) {
  if (state == model::RunState::kComplete) {
    where->Add("r.state IN ('complete', 'sealed')");
  } else {
    where->Add("r.state = {}", model::ToString(state));
  }
}

}  // namespace

absl::StatusOr<model::Run> PgRunStore::GetRun(std::string_view uuid_or_prefix) {
  const absl::StatusOr<std::string> prefix = NormalRunPrefix(uuid_or_prefix);
  if (!prefix.ok()) return prefix.status();
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<model::Run> {
        // Only digits and dashes are left of it, so LIKE has nothing to escape.
        auto runs = SelectRuns(transaction,
                               fmt::format("WHERE r.run_uuid::text LIKE $1 "
                                           "AND r.state <> 'deleted' ORDER BY r.run_uuid LIMIT {}",
                                           kPrefixHits),
                               Params(*prefix + "%"));
        std::vector<std::string> uuids;
        for (const model::Run& run : runs) uuids.push_back(run.spec.key.uuid);
        if (auto status = CheckOneRun(uuid_or_prefix, uuids); !status.ok()) return status;
        return std::move(runs.front());
      });
}

absl::StatusOr<std::vector<model::Run>> PgRunStore::ListRuns(const RunFilter& filter,
                                                             std::optional<RunPosition> after,
                                                             std::int32_t limit) {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<model::Run>> {
        Conditions where;
        where.Add("r.state <> 'deleted'");
        where.AddAxes("r.axes_id", filter.axes);
        if (filter.commit_id) where.Add("r.commit_id = {}", *filter.commit_id);
        if (filter.testbox) where.Add("r.testbox = {}", *filter.testbox);
        if (filter.state) AddState(*filter.state, &where);
        if (after) {
          where.Add("(r.create_time, r.run_id) < (" + InstantOf("{}") + ", {}::int8)",
                    ToMicros(after->create_time), after->run_id);
        }
        return SelectRuns(transaction,
                          fmt::format("{} ORDER BY r.create_time DESC, r.run_id DESC LIMIT {}",
                                      where.clause(), limit),
                          where.params());
      });
}

absl::StatusOr<std::vector<RunValue>> PgRunStore::ListRunValues(std::int64_t run_id) {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<RunValue>> {
        if (auto status = CheckRunExists(transaction, run_id); !status.ok()) return status;
        const pqxx::result rows =
            Exec(transaction,
                 "SELECT m.name, v.unit, v.kind, v.better, v.reduction, v.value, v.sample_count "
                 "FROM run_value v JOIN metric m USING (metric_id) WHERE v.run_id = $1::int8 "
                 "ORDER BY m.name COLLATE \"C\"",
                 run_id);
        std::vector<RunValue> values;
        for (const auto& row : rows) {
          values.push_back({.metric = ReadMetric(row, 0),
                            .value = Get<double>(row[5]),
                            .sample_count = Get<std::int64_t>(row[6])});
        }
        return values;
      });
}

absl::StatusOr<ExcludeOutcome> PgRunStore::Exclude(std::int64_t run_id, std::string_view reason,
                                                   std::string_view excluded_by) {
  return InTransaction(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<ExcludeOutcome> {
        const pqxx::result known = Exec(transaction,
                                        "SELECT exclude_reason <> '' FROM run "
                                        "WHERE run_id = $1::int8 AND state <> 'deleted' FOR UPDATE",
                                        run_id);
        if (known.empty()) return NoRun();
        if (Get<bool>(known[0][0])) return ExcludeOutcome::kAlreadyExcluded;
        if (auto status = CheckExclusion(reason, excluded_by); !status.ok()) return status;
        // The run's own row stands for its group, which may have no other run left.
        QueueForJudging(transaction,
                        "SELECT r.run_id, r.axes_id, r.commit_id FROM run r "
                        "WHERE r.run_id = $1::int8 AND " +
                            RunCounts("r"),
                        Params(run_id));
        Exec(transaction,
             "UPDATE run SET exclude_reason = $2, excluded_by = $3 WHERE run_id = $1::int8", run_id,
             reason, excluded_by);
        return ExcludeOutcome::kExcluded;
      });
}

}  // namespace regressd::storage
