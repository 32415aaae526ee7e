// Rows that only SQL, or a newer version, can have written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "storage/connection_pool.h"
#include "storage/pg_commit_store.h"
#include "storage/pg_ingest_store.h"
#include "storage/pg_regression_store.h"
#include "storage/pg_run_store.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using test::RunSpecOf;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class PgOddRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto ingest = PgIngestStore::Connect({.conninfo = database_.conninfo()});
    ASSERT_TRUE(ingest.ok()) << ingest.status();
    ingest_ = *std::move(ingest);
  }

  void Open(int number) { ASSERT_TRUE(ingest_->OpenRun(RunSpecOf(number), "tester").ok()); }

  /// Opens a run, gives it one value and ends it.
  void Finish(int number) {
    Open(number);
    const std::int64_t run_id = RunSpecOf(number).key.run_id;
    model::RunOutcome outcome;
    outcome.end_time = RunSpecOf(number).start_time + std::chrono::seconds(1);
    ASSERT_TRUE(ingest_->EndRun(run_id, 1, outcome).ok());
    Sql(
        fmt::format("INSERT INTO metric (metric_id, name) VALUES (7, 'm'), (8, 'odd') "
                    "ON CONFLICT DO NOTHING; "
                    "INSERT INTO run_value VALUES ({0}, 7, 5, 1, '', 'gauge', 'neither', 'mean'), "
                    "({0}, 8, 6, 1, '', 'histogram', 'neither', 'mean')",
                    run_id));
  }

  /// The run's row, changed as no version of ours does.
  void Change(int number, const std::string& assignments) {
    Sql(fmt::format("UPDATE run SET {} WHERE run_id = {}", assignments,
                    RunSpecOf(number).key.run_id));
  }

  void Sql(const std::string& script) {
    const absl::Status done = InTransaction(pool_, [&](pqxx::transaction_base& transaction) {
      ExecScript(transaction, script);
      return absl::OkStatus();
    });
    ASSERT_TRUE(done.ok()) << done;
  }

  const regressd::testing::TestDatabase database_;
  ConnectionPool pool_{{.conninfo = database_.conninfo()}};
  std::unique_ptr<IngestStore> ingest_;
  PgRunStore runs_{pool_};
  PgCommitStore commits_{pool_};
  PgRegressionStore regressions_{pool_};
};

/// "ok", or the reason, of each entry.
template <typename List>
std::vector<std::string> Reasons(const List& list) {
  std::vector<std::string> reasons;
  for (const auto& entry : list) {
    reasons.push_back(entry.noun.ok() ? "ok" : std::string(entry.noun.status().message()));
  }
  return reasons;
}

TEST_F(PgOddRowsTest, AListShowsEveryOtherRunAndWhichColumnOfTheOddOnesIsOdd) {
  for (int number = 1; number <= 5; ++number) Open(number);
  Change(2, "start_time = 'infinity'");
  Change(3, "command = ARRAY['a', NULL]");
  Change(4, "end_time = '20000-01-01 00:00:00+00'");
  Sql("ALTER TABLE run DROP CONSTRAINT run_state_check");
  Change(5, "state = 'paused'");
  const auto runs = runs_.ListRuns({}, std::nullopt, 10);
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_THAT(
      Reasons(*runs),
      ElementsAre("column state holds 'paused', which this version does not know",
                  "column end_time is not in the years 1 to 9999",
                  "column command has a NULL element", "column start_time is infinity", "ok"));
  EXPECT_EQ((*runs)[3].name, "run " + RunSpecOf(2).key.uuid);

  const auto one = runs_.GetRun(RunSpecOf(2).key.uuid);
  EXPECT_EQ(one.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(one.status().message(),
            "run " + RunSpecOf(2).key.uuid + " cannot be read: column start_time is infinity");
}

TEST_F(PgOddRowsTest, AListGoesOnAfterARunWhoseOwnPlaceIsInfinite) {
  for (int number = 1; number <= 4; ++number) Open(number);
  Change(2, "create_time = 'infinity'");
  Change(3, "create_time = '-infinity'");
  // Beyond 2^53 microseconds, where a double has no microseconds any more.
  Change(4, "create_time = '9000-01-01 00:00:00.000001+00'");
  std::vector<std::string> names;
  std::optional<RunPosition> after;
  for (int page = 0; page < 5; ++page) {
    const auto runs = runs_.ListRuns({}, after, 1);
    ASSERT_TRUE(runs.ok()) << runs.status();
    if (runs->empty()) break;
    names.push_back(runs->front().name);
    after = runs->front().position;
  }
  EXPECT_THAT(names, ElementsAre("run " + RunSpecOf(2).key.uuid, "run " + RunSpecOf(4).key.uuid,
                                 "run " + RunSpecOf(1).key.uuid, "run " + RunSpecOf(3).key.uuid));
}

TEST_F(PgOddRowsTest, AComparisonLeavesOutTheRunThatCannotBeReadAndSaysWhy) {
  for (int number = 1; number <= 3; ++number) Finish(number);
  Change(2, "start_time = '-infinity'");
  GroupFilter filter;
  filter.commit_ids = {RunSpecOf(1).commit.commit_id};
  const auto groups = runs_.LoadGroups(filter);
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_EQ(groups->size(), 1u);
  const model::RunGroup& group = groups->front();
  EXPECT_EQ(group.runs.size(), 2u);
  EXPECT_EQ(group.failed_run_count, 0);
  ASSERT_EQ(group.metrics.size(), 1u);
  EXPECT_EQ(group.metrics[0].metric.name, "m");
  EXPECT_THAT(
      group.left_out,
      ElementsAre(model::LeftOut{"run " + RunSpecOf(2).key.uuid, "column start_time is -infinity"},
                  model::LeftOut{"metric odd",
                                 "column kind holds 'histogram', which this "
                                 "version does not know"}));
}

TEST_F(PgOddRowsTest, ValuesOfMetricsThatAreKnownAreListed) {
  Finish(1);
  const auto values = runs_.ListRunValues(RunSpecOf(1).key.run_id);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(Reasons(*values),
              ElementsAre("ok", "column kind holds 'histogram', which this version does not know"));
  EXPECT_EQ((*values)[1].name, "metric odd");
}

TEST_F(PgOddRowsTest, CommitsThatCannotBeReadHideNoOther) {
  for (const char* id : {"a", "b", "c"}) {
    model::Commit commit;
    commit.commit_id = id;
    ASSERT_TRUE(commits_.AddCommits(std::span(&commit, 1), "tester").ok());
  }
  Sql("UPDATE commit SET author_time = 'infinity' WHERE commit_id = 'b'");
  const auto listed = commits_.ListCommits("", false, std::nullopt, 10);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_THAT(Reasons(*listed), ElementsAre("ok", "column author_time is infinity", "ok"));
  EXPECT_EQ(commits_.Resolve("b").status().message(),
            "commit b cannot be read: column author_time is infinity");
}

TEST_F(PgOddRowsTest, RegressionsAndEventsThatCannotBeReadHideNoOther) {
  Open(1);
  Sql("ALTER TABLE regression DROP CONSTRAINT regression_state_check");
  for (const char* state : {"new", "paused", "new"}) {
    Sql(
        fmt::format("WITH g AS (INSERT INTO regression (axes_id, base_commit_id, head_commit_id, "
                    "state, title, headline_metric, created_by) SELECT axes_id, 'base', "
                    "(SELECT count(*)::text FROM regression), '{0}', 't', 'm', 'x' FROM axes "
                    "RETURNING regression_id) INSERT INTO regression_event "
                    "(regression_id, state, created_by) SELECT regression_id, 'new', 'x' FROM g",
                    state));
  }
  Sql("UPDATE regression_event SET event_time = 'infinity' WHERE event_id = 1");
  const std::string paused = "column state holds 'paused', which this version does not know";
  const auto listed = regressions_.ListRegressions({}, std::nullopt, 10);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_THAT(Reasons(*listed), ElementsAre("ok", paused, "ok"));
  const auto changes = regressions_.ListChanges(0, 10);
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_THAT(Reasons(*changes), ElementsAre("column event_time is infinity", paused, "ok"));
  EXPECT_EQ(regressions_.GetRegression(2).status().message(),
            "regression 2 cannot be read: " + paused);
}

TEST_F(PgOddRowsTest, ARunWithOddFactsAndNotesIsListedWithTheOthersAndSaysSo) {
  for (const int number : {1, 2, 3}) Open(number);
  Change(2,
         "facts = '{\"cpu_count\": \"many\", \"cpu_model\": \"Xeon\"}', "
         "monitor_notes = '{\"vmstat\": [1]}'");
  const auto runs = runs_.ListRuns({}, std::nullopt, 10);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 3U);
  EXPECT_EQ((*runs)[0].noun->spec.facts.cpu_count, 72);
  EXPECT_EQ((*runs)[1].noun->spec.facts.cpu_model, "Xeon");
  EXPECT_THAT((*runs)[1].noun->spec.monitor_notes,
              AllOf(Contains(Pair("vmstat", "[1]")),
                    Contains(Pair("machine facts", HasSubstr("cannot read: cpu_count")))));
}

}  // namespace
}  // namespace regressd::storage
