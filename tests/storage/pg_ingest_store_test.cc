#include "storage/pg_ingest_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/connection_pool.h"
#include "storage/pqxx_compat.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using test::At;
using test::EncodedSamples;
using test::IntSource;
using test::OutcomeOf;
using test::RunSpecOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PgIngestStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<PgIngestStore> NewStore() {
    auto store = PgIngestStore::Connect({.conninfo = database_.conninfo()});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  /// The rows that a query of text columns gives, columns joined by '|'.
  std::vector<std::string> Select(const std::string& sql) {
    auto connection = Connect(database_.conninfo());
    EXPECT_TRUE(connection.ok()) << connection.status();
    std::vector<std::string> rows;
    const absl::Status read = InTransaction(**connection, [&](pqxx::work& transaction) {
      for (const auto& row : ExecScript(transaction, sql)) {
        std::string text;
        for (const auto& field : row) {
          if (!text.empty()) text += '|';
          text += field.is_null() ? "NULL" : field.c_str();
        }
        rows.push_back(text);
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read;
    return rows;
  }

  /// A run with one source of two metrics, at its first epoch.
  std::int64_t OpenWithSource(int number) {
    const model::RunSpec spec = RunSpecOf(number);
    const auto opened = store_->OpenRun(spec, "tester");
    EXPECT_TRUE(opened.ok()) << opened.status();
    const auto last = store_->DeclareSource(spec.key.run_id, opened->epoch, IntSource(1, "m", 2));
    EXPECT_TRUE(last.ok()) << last.status();
    return spec.key.run_id;
  }

  regressd::testing::TestDatabase database_;
  std::unique_ptr<PgIngestStore> store_ = NewStore();
};

TEST_F(PgIngestStoreTest, OpensARunWithAllThatItsAgentSays) {
  model::RunSpec spec = RunSpecOf(1);
  spec.axes.Set("quote", R"(a "b", \c {d})");
  spec.command.push_back("it's \"quoted\"");
  const auto opened = store_->OpenRun(spec, "bot");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->epoch, 1);
  EXPECT_EQ(opened->state, model::RunState::kOpen);
  EXPECT_TRUE(opened->cursors.empty());
  EXPECT_THAT(
      Select("SELECT run_uuid, state, testbox, facts->>'cpu_count', command[4], "
             "monitor_notes->>'perf-stat', created_by, to_char(start_time AT TIME ZONE 'UTC', "
             "'YYYY-MM-DD HH24:MI:SS.US') FROM run"),
      ElementsAre("0a1b2c3d-0000-4000-8000-000000000001|open|lkp-hsw-ep2-1|72|it's \"quoted\"|"
                  "no PMU|bot|2026-11-30 12:00:00.000000"));
  EXPECT_THAT(Select("SELECT value FROM axis WHERE key = 'quote'"),
              ElementsAre(R"(a "b", \c {d})"));
  EXPECT_THAT(Select("SELECT array_to_string(print_order, ' ') FROM axes"),
              ElementsAre("testcase tbox_group test quote"));
  EXPECT_THAT(Select("SELECT count(*) FROM run_group"), ElementsAre("1"));
}

TEST_F(PgIngestStoreTest, SecondOpeningTakesTheNextEpochAndFencesTheFirst) {
  const std::int64_t run_id = OpenWithSource(1);
  ASSERT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 1, 3)}).ok());
  const auto again = store_->OpenRun(RunSpecOf(1), "tester");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->epoch, 2);
  ASSERT_EQ(again->cursors.size(), 1U);
  EXPECT_EQ(again->cursors[0].last_seq, 3);

  const absl::Status old = store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 4)});
  EXPECT_EQ(old.code(), absl::StatusCode::kAborted) << old;
  EXPECT_EQ(store_->DeclareSource(run_id, 1, IntSource(2, "n", 1)).status().code(),
            absl::StatusCode::kAborted);
  EXPECT_EQ(store_->EndRun(run_id, 1, OutcomeOf(0)).status().code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 2, 4)}).ok());
}

TEST_F(PgIngestStoreTest, AnotherUuidUnderTheSameIdIsRefused) {
  model::RunSpec spec = RunSpecOf(1);
  ASSERT_TRUE(store_->OpenRun(spec, "tester").ok());
  spec.key.uuid = "ffffffff-0000-4000-8000-000000000001";
  const absl::Status status = store_->OpenRun(spec, "tester").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(spec.key.uuid), HasSubstr("0a1b2c3d-0000-4000-8000-000000000001")));
}

TEST_F(PgIngestStoreTest, OtherAxesOrAnotherCommitOfARunAreRefusedNamingBoth) {
  ASSERT_TRUE(store_->OpenRun(RunSpecOf(1), "tester").ok());
  model::RunSpec axes = RunSpecOf(1);
  axes.axes.Set("test", "swap-r-seq");
  const absl::Status other_axes = store_->OpenRun(axes, "tester").status();
  EXPECT_EQ(other_axes.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(other_axes.message()),
              AllOf(HasSubstr("swap-w-seq"), HasSubstr("swap-r-seq")));
  model::RunSpec commit = RunSpecOf(1);
  commit.commit.commit_id = "v6.18";
  const absl::Status other_commit = store_->OpenRun(commit, "tester").status();
  EXPECT_EQ(other_commit.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(other_commit.message()),
              AllOf(HasSubstr("v6.18"), HasSubstr("0123456789abcdef")));
}

TEST_F(PgIngestStoreTest, OtherAxesUnderTheSameIdAreAnError) {
  Select("INSERT INTO axes VALUES (" + std::to_string(RunSpecOf(1).axes.Id()) +
         ", 'something=else', '{something}') RETURNING 1");
  EXPECT_EQ(store_->OpenRun(RunSpecOf(1), "tester").status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Select("SELECT count(*) FROM run"), ElementsAre("0"));
}

TEST_F(PgIngestStoreTest, ARunFillsInItsCommitAndChangesNothingKnown) {
  model::RunSpec spec = RunSpecOf(1);
  Select("INSERT INTO commit (commit_id, describe, created_by) VALUES ('" + spec.commit.commit_id +
         "', 'v6.18-rc1-5-g012345', 'git') RETURNING 1");
  spec.commit.describe = "wrong";
  spec.commit.parent_ids = {"aaaaaaa", "bbbbbbb"};
  spec.commit.branches = {"mm-unstable"};
  ASSERT_TRUE(store_->OpenRun(spec, "bot").ok());
  model::RunSpec later = RunSpecOf(2);
  later.commit.subject = "another subject";
  later.commit.parent_ids = {"ccccccc"};
  later.commit.branches = {"mainline"};
  ASSERT_TRUE(store_->OpenRun(later, "bot").ok());
  EXPECT_THAT(Select("SELECT describe, subject, parents_known, created_by FROM commit"),
              ElementsAre("v6.18-rc1-5-g012345|mm: swap: do it faster|t|git"));
  EXPECT_THAT(Select("SELECT ord, parent_id FROM commit_parent ORDER BY ord"),
              ElementsAre("1|aaaaaaa", "2|bbbbbbb"));
  EXPECT_THAT(Select("SELECT branch FROM commit_branch ORDER BY 1"),
              ElementsAre("mainline", "mm-unstable"));
}

TEST_F(PgIngestStoreTest, APatchOnItsBaseIsACommitOfItsOwn) {
  model::RunSpec spec = RunSpecOf(1);
  spec.commit = {};
  spec.commit.patch = model::Patch{.message_id = "20261130.1@example.org",
                                   .base_commit_id = "v6.18",
                                   .number = 3,
                                   .total = 7,
                                   .series_version = 2,
                                   .subject = "mm: faster",
                                   .author = "A <a@example.org>"};
  ASSERT_TRUE(store_->OpenRun(spec, "bot").ok());
  EXPECT_THAT(Select("SELECT commit_id, subject, patch_message_id, patch_base_commit_id, "
                     "patch_number, patch_total, patch_series_version FROM commit"),
              ElementsAre("patch:20261130.1@example.org@v6.18|mm: faster|20261130.1@example.org|"
                          "v6.18|3|7|2"));
  EXPECT_TRUE(store_->OpenRun(spec, "bot").ok());
}

TEST_F(PgIngestStoreTest, ADeletedRunIsNotOpenedAgain) {
  ASSERT_TRUE(store_->OpenRun(RunSpecOf(1), "tester").ok());
  Select("UPDATE run SET state = 'deleted' RETURNING 1");
  EXPECT_EQ(store_->OpenRun(RunSpecOf(1), "tester").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(PgIngestStoreTest, ARunThatWasGivenUpAndComesBackIsOpen) {
  ASSERT_TRUE(store_->OpenRun(RunSpecOf(1), "tester").ok());
  Select("UPDATE run SET state = 'incomplete' RETURNING 1");
  const auto opened = store_->OpenRun(RunSpecOf(1), "tester");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->state, model::RunState::kOpen);
  EXPECT_THAT(Select("SELECT state FROM run"), ElementsAre("open"));
}

TEST_F(PgIngestStoreTest, ASourceOnlyGrows) {
  const std::int64_t run_id = OpenWithSource(1);
  EXPECT_TRUE(store_->DeclareSource(run_id, 1, IntSource(1, "m", 3)).ok());
  EXPECT_TRUE(store_->DeclareSource(run_id, 1, IntSource(1, "m", 1)).ok());
  EXPECT_THAT(Select("SELECT ord, name FROM run_metric ORDER BY ord"),
              ElementsAre("1|m.a", "2|m.b", "3|m.c"));
  model::Source changed = IntSource(1, "m", 4);
  changed.metrics[1].unit = "pages";
  const absl::Status status = store_->DeclareSource(run_id, 1, changed).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("metrics[1]"), HasSubstr("pages")));
  model::Source renamed = IntSource(1, "m", 2);
  renamed.name = "n";
  EXPECT_EQ(store_->DeclareSource(run_id, 1, renamed).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(PgIngestStoreTest, StoresAllKindsOfBatchesInOneGo) {
  const std::int64_t run_id = OpenWithSource(1);
  model::Source doubles = IntSource(2, "d", 2);
  doubles.content = model::SourceContent::kDoubleSamples;
  model::Source stacks = IntSource(3, "perf-record", 1);
  stacks.content = model::SourceContent::kStacks;
  model::Source observed = IntSource(4, "o", 2);
  observed.content = model::SourceContent::kObservations;
  for (const model::Source& source : {doubles, stacks, observed}) {
    ASSERT_TRUE(store_->DeclareSource(run_id, 1, source).ok());
  }
  const std::string folded = "swapload;main;do_swap_page";
  ASSERT_TRUE(store_->AddStacks(run_id, std::vector<std::string>{folded}).ok());
  ASSERT_TRUE(store_->AddStacks(run_id, std::vector<std::string>{folded, "a;\"b\"\\"}).ok());

  SampleBatch reals;
  reals.first_seq = 1;
  reals.times = {At(7)};
  reals.metric_count = 2;
  reals.doubles = {0.5, 0};
  reals.missing = {false, true};
  const StackCounts counts = {.seq = 1,
                              .begin_time = At(5),
                              .duration_us = 1'000'000,
                              .stack_hashes = {model::Hash63(folded)},
                              .counts = {9}};
  const Observations values = {.seq = 1, .metric_index = 1, .values = {3, 1.5}};
  const absl::Status committed = store_->CommitBatches(std::vector{
      EncodedSamples(run_id, 1, 1, 1, 2),
      EncodeSamples(run_id, 2, 1, reals),
      EncodeStacks(run_id, 3, 1, counts),
      EncodeObservations(run_id, 4, 1, values),
      EncodeGap(run_id, 1, 1, 3, 4, "spool's limit \\ \"reached\""),
      EncodedSamples(run_id, 1, 1, 7, 1),
  });
  ASSERT_TRUE(committed.ok()) << committed;
  EXPECT_THAT(Select("SELECT source_id, seq, extract(epoch FROM ts - '2026-11-30 12:00+00')::int, "
                     "ints, reals FROM sample_row ORDER BY 1, 2"),
              ElementsAre("1|1|1|{100,101}|NULL", "1|2|2|{200,201}|NULL", "1|7|7|{700,701}|NULL",
                          "2|1|7|NULL|{0.5,NULL}"));
  EXPECT_THAT(
      Select("SELECT folded, n FROM stack_count JOIN stack_dict USING (run_id, stack_hash)"),
      ElementsAre("swapload;main;do_swap_page|9"));
  EXPECT_THAT(Select("SELECT ord, reals FROM observation_row"), ElementsAre("2|{3,1.5}"));
  EXPECT_THAT(Select("SELECT first_seq, count, reason FROM ingest_gap"),
              ElementsAre("3|4|spool's limit \\ \"reached\""));
  EXPECT_THAT(Select("SELECT source_id, last_seq FROM ingest_cursor ORDER BY 1"),
              ElementsAre("1|7", "2|1", "3|1", "4|1"));
  EXPECT_THAT(Select("SELECT count(*) FROM stack_dict"), ElementsAre("2"));
}

TEST_F(PgIngestStoreTest, ACursorThatIsNotAsExpectedTakesTheWholeGroupBack) {
  const std::int64_t first = OpenWithSource(1);
  const std::int64_t second = OpenWithSource(2);
  ASSERT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(first, 1, 1, 1)}).ok());
  for (const std::int64_t first_seq : {1, 3}) {  // Sent twice; with a hole before it.
    const absl::Status status = store_->CommitBatches(
        std::vector{EncodedSamples(second, 1, 1, 1), EncodedSamples(first, 1, 1, first_seq)});
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  }
  EXPECT_EQ(store_->CommitBatches(std::vector{EncodedSamples(77, 1, 1, 1)}).code(),
            absl::StatusCode::kAborted);
  EXPECT_THAT(Select("SELECT count(*) FROM sample_row"), ElementsAre("1"));
  const auto cursors = store_->ReadCursors(std::vector{first, second});
  ASSERT_TRUE(cursors.ok()) << cursors.status();
  ASSERT_EQ(cursors->size(), 2U);
  for (const auto& cursor : *cursors) EXPECT_EQ(cursor.last_seq, cursor.run_id == first ? 1 : 0);
}

TEST_F(PgIngestStoreTest, DataThatTheDatabaseRefusesIsAnInvalidArgument) {
  const std::int64_t run_id = OpenWithSource(1);
  EncodedBatch batch = EncodedSamples(run_id, 1, 1, 1);
  batch.tuples[1] = 5;  // Columns.
  const absl::Status status = store_->CommitBatches(std::vector{batch});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  // The connection is as good as before.
  EXPECT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 1)}).ok());
}

TEST_F(PgIngestStoreTest, ALostConnectionIsUnavailable) {
  const std::int64_t run_id = OpenWithSource(1);
  Select("SELECT pg_terminate_backend(" + std::to_string(store_->backend_pid()) + ", 5000)");
  EXPECT_EQ(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 1)}).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(store_->ReadCursors(std::vector{run_id}).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_THAT(Select("SELECT count(*) FROM sample_row"), ElementsAre("0"));
  store_ = NewStore();
  EXPECT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 1)}).ok());
}

TEST_F(PgIngestStoreTest, AServerThatIsNotThereIsUnavailable) {
  const auto store = PgIngestStore::Connect({.conninfo = "host=/nonexistent dbname=x"});
  EXPECT_EQ(store.status().code(), absl::StatusCode::kUnavailable) << store.status();
}

TEST_F(PgIngestStoreTest, TheEndReducesEachSeriesByItsReduction) {
  const model::RunSpec spec = RunSpecOf(1);
  const std::int64_t run_id = spec.key.run_id;
  ASSERT_TRUE(store_->OpenRun(spec, "tester").ok());
  model::Source source = IntSource(1, "m", 4);
  source.metrics[0].kind = model::MetricKind::kCounter;
  source.metrics[0].reduction = model::Reduction::kDelta;
  source.metrics[1].scale = 0.5;
  source.metrics[1].unit = "pages";
  source.metrics[1].better = model::Better::kHigher;
  source.metrics[2].reduction = model::Reduction::kMax;
  ASSERT_TRUE(store_->DeclareSource(run_id, 1, source).ok());
  model::Source observed = IntSource(2, "o", 1);
  observed.content = model::SourceContent::kObservations;
  observed.metrics[0].better = model::Better::kLower;
  observed.metrics[0].unit = "us";
  ASSERT_TRUE(store_->DeclareSource(run_id, 1, observed).ok());
  SampleBatch batch;
  batch.first_seq = 1;
  batch.metric_count = 4;
  batch.times = {At(1), At(2), At(3)};
  batch.ints = {10, 1, 5, 0, 15, 2, 9, 0, 4, 0, 7, 0};
  batch.missing.assign(12, false);
  for (const std::size_t i : {3, 7, 9, 11}) batch.missing[i] = true;
  Observations values = {.seq = 1, .metric_index = 0, .values = {}};
  for (int i = 1; i <= 20; ++i) values.values.push_back(i);
  ASSERT_TRUE(store_
                  ->CommitBatches(std::vector{EncodeSamples(run_id, 1, 1, batch),
                                              EncodeObservations(run_id, 2, 1, values)})
                  .ok());
  for (int round = 0; round < 2; ++round) {
    const auto state = store_->EndRun(run_id, 1, OutcomeOf(0));
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(*state, model::RunState::kComplete);
  }
  // By hand: a is 5 to the reset and 4 after it; b is (1 + 2) / 2 * 0.5; c the largest; d was never
  // there. Python: statistics.stdev(range(1, 21)) = 5.916079783099616, median 10.5.
  EXPECT_THAT(Select("SELECT name, value, sample_count, unit, better, reduction FROM run_value "
                     "JOIN metric USING (metric_id) ORDER BY name COLLATE \"C\""),
              ElementsAre("m.a|9|3||neither|delta", "m.b|0.75|2|pages|higher|mean",
                          "m.c|9|3||neither|max", "o.a|10.5|20|us|lower|mean",
                          "o.a.max|20|20|us|lower|max", "o.a.p50|10.5|20|us|lower|mean",
                          "o.a.stddev|5.916079783099616|20|us|lower|mean"));
  EXPECT_THAT(Select("SELECT count(*) FROM detection_due"), ElementsAre("1"));
  EXPECT_THAT(Select("SELECT state, exit_status FROM run"), ElementsAre("complete|0"));
  const auto reopened = store_->OpenRun(spec, "tester");
  ASSERT_TRUE(reopened.ok());
  EXPECT_EQ(reopened->state, model::RunState::kComplete);
}

TEST_F(PgIngestStoreTest, AFailedRunHasValuesAndIsNotJudged) {
  const std::int64_t run_id = OpenWithSource(1);
  ASSERT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 1)}).ok());
  model::RunOutcome outcome = OutcomeOf(137);
  outcome.last_output_lines = {"mmap: \"Cannot\" allocate", ""};
  outcome.monitor_notes = {{"vmstat", "stopped early"}};
  const auto state = store_->EndRun(run_id, 1, outcome);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(*state, model::RunState::kFailed);
  EXPECT_THAT(Select("SELECT state, exit_status, last_output[1], cardinality(last_output), "
                     "monitor_notes->>'vmstat', monitor_notes->>'perf-stat' FROM run"),
              ElementsAre("failed|137|mmap: \"Cannot\" allocate|2|stopped early|no PMU"));
  EXPECT_THAT(Select("SELECT count(*) FROM run_value"), ElementsAre("2"));
  EXPECT_THAT(Select("SELECT count(*) FROM detection_due"), ElementsAre("0"));
}

TEST_F(PgIngestStoreTest, AMetricUnderTheIdOfAnotherIsAnErrorAndTheRunStaysOpen) {
  const std::int64_t run_id = OpenWithSource(1);
  ASSERT_TRUE(store_->CommitBatches(std::vector{EncodedSamples(run_id, 1, 1, 1)}).ok());
  Select("INSERT INTO metric VALUES (" + std::to_string(model::MetricId("m.a")) +
         ", 'other') RETURNING 1");
  EXPECT_EQ(store_->EndRun(run_id, 1, OutcomeOf(0)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Select("SELECT state FROM run"), ElementsAre("open"));
  EXPECT_THAT(Select("SELECT count(*) FROM run_value"), ElementsAre("0"));
}

TEST_F(PgIngestStoreTest, ATextThatCannotBeStoredIsRefused) {
  model::RunSpec spec = RunSpecOf(1);
  spec.job_toml = std::string("a\0b", 3);
  EXPECT_EQ(store_->OpenRun(spec, "tester").status().code(), absl::StatusCode::kInvalidArgument);
  spec.job_toml = "\xff";
  EXPECT_EQ(store_->OpenRun(spec, "tester").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(store_->OpenRun(RunSpecOf(1), "tester").ok());
}

}  // namespace
}  // namespace regressd::storage
