// Run groups with all their run values: what every comparison stands on.

#include <utility>

#include "storage/pg_rows.h"
#include "storage/pg_run_rows.h"
#include "storage/pg_run_store.h"
#include "storage/row_codec.h"

namespace regressd::storage {
namespace {

// Groups as they are filled.
struct Assembly {
  std::vector<model::RunGroup> groups;
  std::vector<std::int64_t> axes_ids;  // One a group.

  model::RunGroup& GroupOf(std::int64_t axes_id, const std::string& commit_id) {
    if (groups.empty() || axes_ids.back() != axes_id ||
        groups.back().commit.commit_id != commit_id) {
      groups.emplace_back().commit.commit_id = commit_id;
      axes_ids.push_back(axes_id);
    }
    return groups.back();
  }
};

// What is needed of a run that is compared.
struct ComparedRun {
  model::RunState state = model::RunState::kComplete;
  std::vector<std::string> command;
};

Conditions Selection(const GroupFilter& filter) {
  Conditions where;
  where.Add("r.commit_id = ANY({}::text[])", filter.commit_ids);
  where.Add("r.state NOT IN ('open', 'deleted')");
  if (filter.axes_id) where.Add("r.axes_id = {}::int8", *filter.axes_id);
  where.AddAxes("r.axes_id", filter.axes);
  return where;
}

ComparedRun ReadComparedRun(const pqxx::row& row) {
  // Times are not used here, but a run that lists cannot show must not decide a verdict unseen.
  TimeOf(row[7]);
  if (!row[8].is_null()) TimeOf(row[8]);
  return {.state = ReadRunState(row[5]), .command = GetArray<std::string>(row[9])};
}

void AddRun(const pqxx::row& row, model::RunGroup* group) {
  if (Get<bool>(row[4])) {
    ++group->excluded_run_count;
    return;
  }
  std::string uuid = Get<std::string>(row[3]);
  auto run = TryRead([&] { return ReadComparedRun(row); });
  if (!run.ok()) {
    group->left_out.push_back({"run " + uuid, std::string(run.status().message())});
    return;
  }
  if (run->state != model::RunState::kComplete) {
    ++group->failed_run_count;
    return;
  }
  model::MachineFacts facts = FactsFromJson(Get<std::string>(row[6])).facts;
  if (const auto load = model::LoadBefore(facts)) {
    group->start_loads.push_back({uuid, *load, facts.cpu_count});
  }
  if (group->runs.empty()) {
    group->facts = std::move(facts);
    group->command = std::move(run->command);
    group->job_toml = Get<std::string>(row[10]);
  }
  group->runs.push_back({.uuid = std::move(uuid), .run_id = Get<std::int64_t>(row[2])});
}

Assembly LoadRuns(pqxx::transaction_base& transaction, const Conditions& where) {
  const pqxx::result rows = ExecParams(
      transaction,
      fmt::format(
          "SELECT r.axes_id, r.commit_id, r.run_id, r.run_uuid::text, r.exclude_reason <> '', "
          "r.state, r.facts::text, {}, {}, r.command, r.job_toml "
          "FROM run r JOIN axes a USING (axes_id) ",
          MicrosColumn("r.start_time"), MicrosColumn("r.end_time")) +
          where.clause() +
          " ORDER BY a.canonical COLLATE \"C\", r.commit_id COLLATE \"C\", r.start_time, r.run_id",
      where.params());
  Assembly assembly;
  for (const auto& row : rows) {
    AddRun(row, &assembly.GroupOf(Get<std::int64_t>(row[0]), Get<std::string>(row[1])));
  }
  return assembly;
}

void LoadNouns(pqxx::transaction_base& transaction, Assembly* assembly) {
  std::vector<std::string> commit_ids;
  for (const model::RunGroup& group : assembly->groups) {
    commit_ids.push_back(group.commit.commit_id);
  }
  const auto axes = LoadAxes(transaction, assembly->axes_ids);
  const auto commits = LoadCommits(transaction, commit_ids);
  for (std::size_t i = 0; i < assembly->groups.size(); ++i) {
    model::RunGroup& group = assembly->groups[i];
    group.axes = axes.at(assembly->axes_ids[i]);
    // The runs of a commit that cannot be read are compared under its id.
    const auto& commit = commits.at(commit_ids[i]);
    if (commit.ok()) {
      group.commit = *commit;
    } else {
      group.left_out.push_back(
          {"what is known of the commit", std::string(commit.status().message())});
    }
  }
}

// One row a group and metric, its values as an array in the order of the runs, so that name and
// traits travel once and not with each run. The runs go in by their ids: with a join over axes and
// commits the planner would read all values.
void LoadValues(pqxx::transaction_base& transaction, Assembly* assembly) {
  std::vector<std::int64_t> run_ids;
  std::vector<std::size_t> group_of;
  std::vector<std::int32_t> index_in_group;
  for (std::size_t group = 0; group < assembly->groups.size(); ++group) {
    const auto& runs = assembly->groups[group].runs;
    for (std::size_t index = 0; index < runs.size(); ++index) {
      run_ids.push_back(runs[index].run_id);
      group_of.push_back(group);
      index_in_group.push_back(static_cast<std::int32_t>(index));
    }
  }
  const pqxx::result rows =
      Exec(transaction,
           "SELECT m.name, (array_agg(v.unit ORDER BY u.idx))[1] AS unit, "
           "(array_agg(v.kind ORDER BY u.idx))[1] AS kind, "
           "(array_agg(v.better ORDER BY u.idx))[1] AS better, "
           "(array_agg(v.reduction ORDER BY u.idx))[1] AS reduction, u.grp, array_agg(u.idx ORDER "
           "BY u.idx), "
           "array_agg(v.value ORDER BY u.idx) "
           "FROM unnest($1::int8[], $2::int4[], $3::int4[]) AS u(run_id, grp, idx) "
           "JOIN run_value v USING (run_id) JOIN metric m USING (metric_id) "
           "GROUP BY u.grp, m.metric_id ORDER BY m.name COLLATE \"C\"",
           run_ids, group_of, index_in_group);
  for (const auto& row : rows) {
    model::RunGroup& group = assembly->groups.at(Get<std::size_t>(row[5]));
    auto metric = TryRead([&] { return ReadMetric(row, 0); });
    if (!metric.ok()) {
      group.left_out.push_back(
          {"metric " + Get<std::string>(row[0]), std::string(metric.status().message())});
      continue;
    }
    model::MetricValues values;
    values.metric = *std::move(metric);
    values.run_index = GetArray<std::int32_t>(row[6]);
    values.values = GetArray<double>(row[7]);
    group.metrics.push_back(std::move(values));
  }
}

}  // namespace

absl::StatusOr<std::vector<model::RunGroup>> PgRunStore::LoadGroups(const GroupFilter& filter) {
  using Groups = absl::StatusOr<std::vector<model::RunGroup>>;
  // One snapshot, so that the values are those of the runs.
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> Groups {
        Assembly assembly = LoadRuns(transaction, Selection(filter));
        LoadNouns(transaction, &assembly);
        LoadValues(transaction, &assembly);
        return std::move(assembly.groups);
      });
}

}  // namespace regressd::storage
