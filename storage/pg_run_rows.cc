#include "storage/pg_run_rows.h"

#include <fmt/ranges.h>

#include <map>

#include "storage/pg_rows.h"
#include "storage/row_codec.h"

namespace regressd::storage {
namespace {

std::string RunColumns() {
  return fmt::format(
      "r.run_id, r.run_uuid::text, r.axes_id, r.commit_id, r.facts::text, {}, r.command, "
      "r.job_toml, r.agent_version, r.monitor_notes::text, r.state, {}, {}, r.exit_status, "
      "r.term_signal, r.failure, r.last_output, r.exclude_reason, r.excluded_by, r.created_by",
      MicrosColumn("r.start_time"), MicrosColumn("r.create_time"), MicrosColumn("r.end_time"));
}

model::RunOutcome ReadOutcome(const pqxx::row& row) {
  return {.end_time = TimeOf(row[12]),
          .exit_status = GetOptional<std::int32_t>(row[13]).value_or(0),
          .term_signal = GetOptional<std::int32_t>(row[14]).value_or(0),
          .last_output_lines = GetArray<std::string>(row[16]),
          .monitor_notes = {},
          .failure = Get<std::string>(row[15])};
}

model::Run ReadRun(const pqxx::row& row) {
  model::Run run;
  StoredFacts facts = FactsFromJson(Get<std::string>(row[4]));
  run.spec.key = {.uuid = Get<std::string>(row[1]), .run_id = Get<std::int64_t>(row[0])};
  run.spec.facts = std::move(facts.facts);
  run.spec.start_time = TimeOf(row[5]);
  run.spec.command = GetArray<std::string>(row[6]);
  run.spec.job_toml = Get<std::string>(row[7]);
  run.spec.agent_version = Get<std::string>(row[8]);
  run.spec.monitor_notes = NotesFromJson(Get<std::string>(row[9]));
  if (!facts.unreadable.empty()) {
    run.spec.monitor_notes["machine facts"] = fmt::format(
        "stored in a form that this version cannot read: {}", fmt::join(facts.unreadable, ", "));
  }
  run.state = ReadRunState(row[10]);
  run.create_time = TimeOf(row[11]);
  if (!row[12].is_null()) run.outcome = ReadOutcome(row);
  run.exclude_reason = Get<std::string>(row[17]);
  run.excluded_by = Get<std::string>(row[18]);
  run.created_by = Get<std::string>(row[19]);
  return run;
}

model::SourceInfo ReadSource(const pqxx::row& row) {
  return {.source_id = Get<std::int32_t>(row[1]),
          .name = Get<std::string>(row[2]),
          .content = GetEnum<model::SourceContent>(row[3]),
          .last_seq = Get<std::int64_t>(row[4]),
          .metric_count = Get<std::int32_t>(row[5]),
          .gap_count = Get<std::int64_t>(row[6])};
}

using Sources = std::map<std::int64_t, absl::StatusOr<std::vector<model::SourceInfo>>>;

Sources LoadSources(pqxx::transaction_base& transaction, const std::vector<std::int64_t>& run_ids) {
  const pqxx::result rows = Exec(
      transaction,
      "SELECT s.run_id, s.source_id, s.name, s.content, coalesce(c.last_seq, 0), "
      "(SELECT count(*) FROM run_metric m WHERE m.run_id = s.run_id AND m.source_id = s.source_id),"
      "(SELECT coalesce(sum(g.count), 0)::int8 FROM ingest_gap g "
      "WHERE g.run_id = s.run_id AND g.source_id = s.source_id) "
      "FROM run_source s LEFT JOIN ingest_cursor c USING (run_id, source_id) "
      "WHERE s.run_id = ANY($1::int8[]) ORDER BY s.run_id, s.source_id",
      run_ids);
  Sources sources;
  for (const std::int64_t run_id : run_ids) sources[run_id] = std::vector<model::SourceInfo>();
  for (const auto& row : rows) {
    auto& of_run = sources.at(Get<std::int64_t>(row[0]));
    if (!of_run.ok()) continue;
    auto source = TryRead([&] { return ReadSource(row); });
    if (source.ok()) {
      of_run->push_back(*std::move(source));
    } else {
      of_run = CannotRead("its source " + Get<std::string>(row[1]), source.status());
    }
  }
  return sources;
}

}  // namespace

model::RunState ReadRunState(const pqxx::field& field) {
  return Get<std::string>(field) == "sealed" ? model::RunState::kComplete
                                             : GetEnum<model::RunState>(field);
}

model::Metric ReadMetric(const pqxx::row& row, int first) {
  const auto at = [&row, first](int k) {
    return row[static_cast<pqxx::row::size_type>(first + k)];
  };
  model::Metric metric;
  metric.name = Get<std::string>(at(0));
  metric.unit = Get<std::string>(at(1));
  metric.kind = GetEnum<model::MetricKind>(at(2));
  metric.better = GetEnum<model::Better>(at(3));
  metric.reduction = GetEnum<model::Reduction>(at(4));
  return metric;
}

std::vector<SelectedRun> SelectRuns(pqxx::transaction_base& transaction, const std::string& tail,
                                    const Params& params) {
  const pqxx::result rows =
      ExecParams(transaction, "SELECT " + RunColumns() + " FROM run r " + tail, params);
  std::vector<std::int64_t> run_ids;
  std::vector<std::int64_t> axes_ids;
  std::vector<std::string> commit_ids;
  for (const auto& row : rows) {
    run_ids.push_back(Get<std::int64_t>(row[0]));
    axes_ids.push_back(Get<std::int64_t>(row[2]));
    commit_ids.push_back(Get<std::string>(row[3]));
  }
  if (run_ids.empty()) return {};
  const auto axes = LoadAxes(transaction, axes_ids);
  const auto commits = LoadCommits(transaction, commit_ids);
  auto sources = LoadSources(transaction, run_ids);
  std::vector<SelectedRun> runs;
  for (const auto& row : rows) {
    const auto run_id = Get<std::int64_t>(row[0]);
    SelectedRun& selected = runs.emplace_back(
        SelectedRun{.uuid = Get<std::string>(row[1]),
                    .position = {.create_time = PlaceOf(row[11]), .run_id = run_id},
                    .run = TryRead([&] { return ReadRun(row); })});
    if (!selected.run.ok()) continue;
    const auto& commit = commits.at(Get<std::string>(row[3]));
    auto& sources_of_run = sources.at(run_id);
    if (!commit.ok() || !sources_of_run.ok()) {
      selected.run = commit.ok() ? sources_of_run.status() : commit.status();
      continue;
    }
    selected.run->spec.axes = axes.at(Get<std::int64_t>(row[2]));
    selected.run->spec.commit = *commit;
    selected.run->sources = *std::move(sources_of_run);
  }
  return runs;
}

absl::StatusOr<std::vector<DeclaredMetric>> LoadDictionary(pqxx::transaction_base& transaction,
                                                           std::int64_t run_id) {
  if (auto status = CheckRunExists(transaction, run_id); !status.ok()) return status;
  const pqxx::result rows = Exec(transaction,
                                 "SELECT m.source_id, m.ord, s.content, m.name, m.unit, m.kind, "
                                 "m.better, m.reduction, m.scale "
                                 "FROM run_metric m JOIN run_source s USING (run_id, source_id) "
                                 "WHERE m.run_id = $1::int8 ORDER BY m.source_id, m.ord",
                                 run_id);
  std::vector<DeclaredMetric> dictionary;
  for (const auto& row : rows) {
    DeclaredMetric& declared = dictionary.emplace_back();
    declared.source_id = Get<std::int32_t>(row[0]);
    declared.ord = Get<std::int32_t>(row[1]);
    declared.name = Get<std::string>(row[3]);
    const auto content = TryRead([&] { return GetEnum<model::SourceContent>(row[2]); });
    auto metric = TryRead([&] { return ReadMetric(row, 3); });
    if (content.ok() && metric.ok()) {
      declared.content = *content;
      declared.metric = *std::move(metric);
      declared.metric.scale = Get<double>(row[8]);
    } else {
      declared.readable =
          CannotRead(fmt::format("metric {} of source {}", declared.name, declared.source_id),
                     content.ok() ? metric.status() : content.status());
    }
  }
  return dictionary;
}

absl::Status NoRun() { return absl::NotFoundError("the run is not there any more"); }

std::string RunUuid(pqxx::transaction_base& transaction, std::int64_t run_id) {
  const pqxx::result rows =
      Exec(transaction, "SELECT run_uuid::text FROM run WHERE run_id = $1::int8", run_id);
  return rows.empty() ? std::string() : Get<std::string>(rows[0][0]);
}

absl::Status CheckRunExists(pqxx::transaction_base& transaction, std::int64_t run_id) {
  const pqxx::result rows =
      Exec(transaction, "SELECT 1 FROM run WHERE run_id = $1::int8 AND state <> 'deleted'", run_id);
  return rows.empty() ? NoRun() : absl::OkStatus();
}

}  // namespace regressd::storage
