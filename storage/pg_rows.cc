#include "storage/pg_rows.h"

#include <chrono>
#include <limits>

namespace regressd::storage {
namespace {

constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min();

// google.protobuf.Timestamp: the years 1 to 9999.
constexpr model::Time kFirstTime{std::chrono::sys_days{std::chrono::year{1} / 1 / 1}};
constexpr model::Time kEndOfTime{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1}};

}  // namespace

std::string MicrosOf(std::string_view timestamptz) {
  // The last year whose microseconds fit in an int8 is 294247.
  return fmt::format(
      "(CASE WHEN {0} >= timestamptz '294247-01-01 00:00:00+00' THEN {1} "
      "WHEN {0} = timestamptz '-infinity' THEN '{2}'::int8 "
      "ELSE (extract(epoch FROM {0}) * 1000000)::int8 END)",
      timestamptz, kInfinity, kMinusInfinity);
}

std::string MicrosColumn(std::string_view column) {
  return fmt::format("{} AS {}", MicrosOf(column), column.substr(column.find('.') + 1));
}

std::string InstantOf(std::string_view micros) {
  // An interval is multiplied as a double: days and the rest of a day apart keep every microsecond.
  return fmt::format(
      "(CASE {0}::int8 WHEN {1} THEN timestamptz 'infinity' "
      "WHEN '{2}'::int8 THEN timestamptz '-infinity' "
      "ELSE (timestamp 'epoch' + ({0}::int8 / 86400000000) * interval '1 day' "
      "+ ({0}::int8 % 86400000000) * interval '1 microsecond') AT TIME ZONE 'UTC' END)",
      micros, kInfinity, kMinusInfinity);
}

std::int64_t ToMicros(model::Time time) { return time.time_since_epoch().count(); }

model::Time TimeOf(const pqxx::field& micros) {
  const model::Time time = PlaceOf(micros);
  if (time >= kFirstTime && time < kEndOfTime) return time;
  throw UnreadableValue(fmt::format("column {} is {}", micros.name(),
                                    ToMicros(time) == kInfinity ? "infinity"
                                    : ToMicros(time) == kMinusInfinity
                                        ? "-infinity"
                                        : "not in the years 1 to 9999"));
}

model::Time PlaceOf(const pqxx::field& micros) {
  return model::Time{std::chrono::microseconds{Get<std::int64_t>(micros)}};
}

absl::Status CannotRead(std::string_view name, const absl::Status& why) {
  return absl::InternalError(
      fmt::format("{} cannot be read: {}", name, std::string(why.message())));
}

void Conditions::AddBound(std::string_view sql, const std::vector<std::string>& names) {
  clause_ += clause_.empty() ? "WHERE " : " AND ";
  std::size_t next = 0;
  for (auto at = sql.find("{}"); at != std::string_view::npos; at = sql.find("{}")) {
    clause_ += sql.substr(0, at);
    clause_ += names.at(next++);
    sql.remove_prefix(at + 2);
  }
  clause_ += sql;
}

void Conditions::AddAxes(std::string_view column, const model::Axes& axes) {
  if (axes.empty()) return;
  std::vector<std::string> keys;
  std::vector<std::string> values;
  for (const model::Axis& axis : axes.list()) {
    keys.push_back(axis.key);
    values.push_back(axis.value);
  }
  // Keys are unique on both sides, so as many hits as pairs means all of them.
  Add(std::string(column) +
          " IN (SELECT x.axes_id FROM axis x JOIN unnest({}::text[], {}::text[]) AS w(key, value) "
          "USING (key, value) GROUP BY x.axes_id HAVING count(*) = {}::int8)",
      keys, values, keys.size());
}

std::string RunCounts(std::string_view run_alias) {
  return fmt::format("{0}.state IN ('complete', 'sealed') AND {0}.exclude_reason = ''", run_alias);
}

std::map<std::int64_t, model::Axes> LoadAxes(pqxx::transaction_base& transaction,
                                             const std::vector<std::int64_t>& axes_ids) {
  const pqxx::result rows = Exec(transaction,
                                 "SELECT a.axes_id, k.key, x.value FROM axes a "
                                 "CROSS JOIN unnest(a.print_order) WITH ORDINALITY AS k(key, ord) "
                                 "JOIN axis x ON x.axes_id = a.axes_id AND x.key = k.key "
                                 "WHERE a.axes_id = ANY($1::int8[]) ORDER BY a.axes_id, k.ord",
                                 axes_ids);
  std::map<std::int64_t, model::Axes> axes;
  for (const std::int64_t axes_id : axes_ids) axes[axes_id];
  for (const auto& row : rows) {
    axes[Get<std::int64_t>(row[0])].Set(Get<std::string>(row[1]), Get<std::string>(row[2]));
  }
  return axes;
}

std::string CommitColumns() {
  return fmt::format(
      "c.commit_id, c.describe, c.subject, c.author, {}, c.parents_known, c.trailers, "
      "c.patch_message_id, c.patch_base_commit_id, c.patch_number, c.patch_total, "
      "c.patch_series_version, "
      "ARRAY(SELECT p.parent_id FROM commit_parent p WHERE p.commit_id = c.commit_id "
      "ORDER BY p.ord), "
      "ARRAY(SELECT b.branch FROM commit_branch b WHERE b.commit_id = c.commit_id "
      "ORDER BY b.branch COLLATE \"C\"), "
      "ARRAY(SELECT t.tag FROM commit_tag t WHERE t.commit_id = c.commit_id "
      "ORDER BY t.tag COLLATE \"C\")",
      MicrosColumn("c.author_time"));
}

model::Commit ReadCommit(const pqxx::row& row) {
  model::Commit commit;
  commit.commit_id = Get<std::string>(row[0]);
  commit.describe = Get<std::string>(row[1]);
  commit.subject = Get<std::string>(row[2]);
  commit.author = Get<std::string>(row[3]);
  if (!row[4].is_null()) commit.author_time = TimeOf(row[4]);
  commit.trailers = GetArray<std::string>(row[6]);
  commit.parent_ids = GetArray<std::string>(row[12]);
  commit.branches = GetArray<std::string>(row[13]);
  commit.tags = GetArray<std::string>(row[14]);
  commit.root = Get<bool>(row[5]) && commit.parent_ids.empty();
  if (!row[7].is_null()) {
    commit.patch = model::Patch{.message_id = Get<std::string>(row[7]),
                                .base_commit_id = Get<std::string>(row[8]),
                                .number = GetOptional<std::int32_t>(row[9]).value_or(0),
                                .total = GetOptional<std::int32_t>(row[10]).value_or(1),
                                .series_version = GetOptional<std::int32_t>(row[11]).value_or(1),
                                .subject = commit.subject,
                                .author = commit.author};
  }
  return commit;
}

std::map<std::string, absl::StatusOr<model::Commit>> LoadCommits(
    pqxx::transaction_base& transaction, const std::vector<std::string>& commit_ids) {
  const pqxx::result rows =
      Exec(transaction,
           "SELECT " + CommitColumns() + " FROM commit c WHERE c.commit_id = ANY($1::text[])",
           commit_ids);
  std::map<std::string, absl::StatusOr<model::Commit>> commits;
  for (const std::string& commit_id : commit_ids) {
    model::Commit bare;
    bare.commit_id = commit_id;
    commits.insert_or_assign(commit_id, std::move(bare));
  }
  for (const auto& row : rows) {
    const std::string commit_id = Get<std::string>(row[0]);
    auto commit = TryRead([&] { return ReadCommit(row); });
    if (!commit.ok()) commit = CannotRead("commit " + commit_id, commit.status());
    commits.insert_or_assign(commit_id, std::move(commit));
  }
  return commits;
}

void QueueForJudging(pqxx::transaction_base& transaction, const std::string& select,
                     const Params& params) {
  // Another due_time tells the worker that holds the group that its judging came too early.
  ExecParams(transaction,
             "INSERT INTO detection_due (run_id, axes_id, commit_id) " + select +
                 " ON CONFLICT (run_id) DO UPDATE SET due_time = clock_timestamp(), attempts = 0",
             params);
}

}  // namespace regressd::storage
