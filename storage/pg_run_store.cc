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
        auto found = SelectRuns(transaction,
                                fmt::format("WHERE r.run_uuid::text LIKE $1 "
                                            "AND r.state <> 'deleted' ORDER BY r.run_uuid LIMIT {}",
                                            kPrefixHits),
                                Params(*prefix + "%"));
        std::vector<std::string> uuids;
        for (const SelectedRun& selected : found) uuids.push_back(selected.uuid);
        if (auto status = CheckOneRun(uuid_or_prefix, uuids); !status.ok()) return status;
        SelectedRun& one = found.front();
        if (!one.run.ok()) return CannotRead("run " + one.uuid, one.run.status());
        return std::move(one.run);
      });
}

absl::StatusOr<std::vector<ListedRun>> PgRunStore::ListRuns(const RunFilter& filter,
                                                            std::optional<RunPosition> after,
                                                            std::int32_t limit) {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<ListedRun>> {
        Conditions where;
        where.Add("r.state <> 'deleted'");
        where.AddAxes("r.axes_id", filter.axes);
        if (filter.commit_id) where.Add("r.commit_id = {}", *filter.commit_id);
        if (filter.testbox) where.Add("r.testbox = {}", *filter.testbox);
        if (filter.state) AddState(*filter.state, &where);
        if (after) {
          const std::string instant = InstantOf(where.Bind(ToMicros(after->create_time)));
          where.Add("(r.create_time, r.run_id) < (" + instant + ", {}::int8)", after->run_id);
        }
        std::vector<ListedRun> runs;
        for (SelectedRun& selected :
             SelectRuns(transaction,
                        fmt::format("{} ORDER BY r.create_time DESC, r.run_id DESC LIMIT {}",
                                    where.clause(), limit),
                        where.params())) {
          runs.push_back({.position = selected.position,
                          .name = "run " + selected.uuid,
                          .noun = std::move(selected.run)});
        }
        return runs;
      });
}

absl::StatusOr<std::vector<ListedRunValue>> PgRunStore::ListRunValues(std::int64_t run_id) {
  using Values = absl::StatusOr<std::vector<ListedRunValue>>;
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Values {
        if (auto status = CheckRunExists(transaction, run_id); !status.ok()) return status;
        const pqxx::result rows =
            Exec(transaction,
                 "SELECT m.name, v.unit, v.kind, v.better, v.reduction, v.value, v.sample_count "
                 "FROM run_value v JOIN metric m USING (metric_id) WHERE v.run_id = $1::int8 "
                 "ORDER BY m.name COLLATE \"C\"",
                 run_id);
        std::vector<ListedRunValue> values;
        for (const auto& row : rows) {
          std::string name = Get<std::string>(row[0]);
          values.push_back({.position = name,
                            .name = "metric " + name,
                            .noun = TryRead([&] {
                              return RunValue{.metric = ReadMetric(row, 0),
                                              .value = Get<double>(row[5]),
                                              .sample_count = Get<std::int64_t>(row[6])};
                            })});
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
