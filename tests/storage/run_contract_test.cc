// Opening, fencing, ending, finding and excluding runs.

#include <barrier>
#include <thread>

#include "tests/storage/contract_fixture.h"
#include "tests/support/nouns_of.h"

namespace regressd::storage {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

using RunContractTest = StoreContractTest;

std::vector<std::string> UuidsOf(const std::vector<model::Run>& runs) {
  std::vector<std::string> uuids;
  for (const model::Run& run : runs) uuids.push_back(run.spec.key.uuid);
  return uuids;
}

EncodedBatch OneSample(const model::RunSpec& spec, std::int64_t epoch, std::int64_t seq) {
  return EncodeSamples(spec.key.run_id, 1, epoch,
                       {.first_seq = seq,
                        .times = {At(seq)},
                        .metric_count = 1,
                        .ints = {},
                        .doubles = {1},
                        .missing = {}});
}

TEST_F(RunContractTest, RunsThatBeginAndEndTogetherMayNameTheSameNewThings) {
  constexpr int kAgents = 4;
  constexpr int kRounds = 25;
  std::vector<model::RunSpec> specs;
  for (int round = 0; round < kRounds; ++round) {
    const model::Axes axes = AxesOf({{"testcase", "t" + std::to_string(round)}});
    for (int agent = 0; agent < kAgents; ++agent) specs.push_back(NewSpec("v1", axes));
  }
  std::barrier round_begins(kAgents);
  std::vector<std::jthread> agents;
  for (int agent = 0; agent < kAgents; ++agent) {
    agents.emplace_back([&, agent] {
      const auto connection = Connect();
      for (int round = 0; round < kRounds; ++round) {
        const model::RunSpec& spec = specs[static_cast<std::size_t>(round * kAgents + agent)];
        const std::string metric = "metric" + std::to_string(round);
        round_begins.arrive_and_wait();
        const auto opened = connection->OpenRun(spec, "bot");
        EXPECT_TRUE(opened.ok()) << opened.status();
        const std::int64_t epoch = opened.ok() ? opened->epoch : 0;
        const auto declared =
            connection->DeclareSource(spec.key.run_id, epoch, DoubleSource(1, {metric}));
        EXPECT_TRUE(declared.ok()) << declared.status();
        const EncodedBatch batch = OneSample(spec, epoch, 1);
        const absl::Status committed = connection->CommitBatches(std::span(&batch, 1));
        EXPECT_TRUE(committed.ok()) << committed;
        const auto ended = connection->EndRun(spec.key.run_id, epoch, EndedAt(At(2)));
        EXPECT_TRUE(ended.ok()) << ended.status();
      }
    });
  }
  agents.clear();
  for (const model::RunSpec& spec : specs) {
    const auto values = runs().ListRunValues(spec.key.run_id);
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_THAT(*values, SizeIs(1));
  }
}

TEST_F(RunContractTest, OpeningARunAgainRaisesItsEpochAndGivesItsCursors) {
  const model::RunSpec spec = NewSpec("abc");
  const auto first = ingest().OpenRun(spec, "bot");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->epoch, 1);
  EXPECT_EQ(first->state, model::RunState::kOpen);
  EXPECT_THAT(first->cursors, IsEmpty());
  const std::int64_t epoch =
      Send(spec, DoubleSource(1, {"m"}), [&](std::int64_t e) -> std::vector<EncodedBatch> {
        return {OneSample(spec, e, 1), OneSample(spec, e, 2)};
      });
  EXPECT_EQ(epoch, 2);
  const auto again = ingest().OpenRun(spec, "somebody else");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->epoch, 3);
  ASSERT_THAT(again->cursors, SizeIs(1));
  EXPECT_EQ(again->cursors[0].source_id, 1);
  EXPECT_EQ(again->cursors[0].last_seq, 2);
  EXPECT_EQ(runs().GetRun(spec.key.uuid)->created_by, "bot");
}

TEST_F(RunContractTest, ARunKeepsItsAxesItsCommitAndItsUuid) {
  const model::RunSpec spec = NewSpec("abc");
  ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
  model::RunSpec other = spec;
  other.axes.Set("nr_task", "8");
  EXPECT_THAT(ingest().OpenRun(other, "bot").status(), HasCode(absl::StatusCode::kAlreadyExists));
  other = spec;
  other.commit.commit_id = "abd";
  EXPECT_THAT(ingest().OpenRun(other, "bot").status(), HasCode(absl::StatusCode::kAlreadyExists));
  // Both halves swapped: their XOR, the 63-bit id, is the same.
  other = spec;
  other.key = *model::ParseRunUuid("80000000-0000-0001-0000-000100004000");
  ASSERT_EQ(other.key.run_id, spec.key.run_id);
  EXPECT_THAT(ingest().OpenRun(other, "bot").status(), HasCode(absl::StatusCode::kAlreadyExists));
  // The print order is no part of the axes.
  other = spec;
  other.axes = AxesOf({{"tbox_group", "lkp-hsw-ep2"}, {"testcase", "vm-scalability"}});
  EXPECT_TRUE(ingest().OpenRun(other, "bot").ok());
}

TEST_F(RunContractTest, ADeletedRunIsNotOpenedNorFound) {
  const model::RunSpec spec = FinishNew("abc");
  store().MarkDeleted(spec.key.run_id);
  EXPECT_THAT(ingest().OpenRun(spec, "bot").status(),
              HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(runs().GetRun(spec.key.uuid).status(), HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(runs().ListRunValues(spec.key.run_id).status(), HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(*runs().ListRuns({}, std::nullopt, 10), IsEmpty());
}

TEST_F(RunContractTest, AnOlderStreamIsFenced) {
  const model::RunSpec spec = NewSpec("abc");
  const std::int64_t old_epoch =
      Send(spec, DoubleSource(1, {"m"}),
           [&](std::int64_t e) -> std::vector<EncodedBatch> { return {OneSample(spec, e, 1)}; });
  const auto newer = Connect();
  ASSERT_TRUE(newer->OpenRun(spec, "bot").ok());
  EXPECT_THAT(ingest().DeclareSource(spec.key.run_id, old_epoch, DoubleSource(1, {"m"})).status(),
              HasCode(absl::StatusCode::kAborted));
  EXPECT_THAT(ingest().CommitBatches(std::vector{OneSample(spec, old_epoch, 2)}),
              HasCode(absl::StatusCode::kAborted));
  EXPECT_THAT(ingest().EndRun(spec.key.run_id, old_epoch, EndedAt(At(1))).status(),
              HasCode(absl::StatusCode::kAborted));
  const auto parts = ReadAll(spec.key.run_id, {"m"});
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_THAT(parts[0].samples, SizeIs(1));
}

TEST_F(RunContractTest, ABatchOutOfPlaceWritesNothingOfItsGroup) {
  const model::RunSpec spec = NewSpec("abc");
  const std::int64_t epoch =
      Send(spec, DoubleSource(1, {"m"}), [](std::int64_t) { return std::vector<EncodedBatch>{}; });
  model::RunSpec other = NewSpec("abc");
  const std::int64_t other_epoch =
      Send(other, DoubleSource(1, {"m"}), [](std::int64_t) { return std::vector<EncodedBatch>{}; });
  ASSERT_TRUE(ingest().CommitBatches(std::vector{OneSample(spec, epoch, 1)}).ok());
  // The first is right, the second repeats a stored number.
  EXPECT_THAT(ingest().CommitBatches(
                  std::vector{OneSample(other, other_epoch, 1), OneSample(spec, epoch, 1)}),
              HasCode(absl::StatusCode::kAborted));
  const std::vector<std::int64_t> ids{other.key.run_id};
  const auto cursors = ingest().ReadCursors(ids);
  ASSERT_TRUE(cursors.ok()) << cursors.status();
  ASSERT_THAT(*cursors, SizeIs(1));
  EXPECT_EQ((*cursors)[0].last_seq, 0);
  EXPECT_EQ((*cursors)[0].epoch, other_epoch);
  EXPECT_THAT(ReadAll(other.key.run_id, {"m"}), IsEmpty());
}

TEST_F(RunContractTest, ADictionaryIsAppendOnly) {
  const model::RunSpec spec = NewSpec("abc");
  const std::int64_t epoch = Send(spec, DoubleSource(1, {"a", "b"}),
                                  [](std::int64_t) { return std::vector<EncodedBatch>{}; });
  const auto declare = [&](const model::Source& source) {
    return ingest().DeclareSource(spec.key.run_id, epoch, source).status();
  };
  EXPECT_THAT(declare(DoubleSource(1, {"b", "a"})), HasCode(absl::StatusCode::kInvalidArgument));
  model::Source other = DoubleSource(1, {"a", "b"});
  other.content = model::SourceContent::kIntSamples;
  EXPECT_THAT(declare(other), HasCode(absl::StatusCode::kInvalidArgument));
  other = DoubleSource(1, {"a", "b"});
  other.metrics[0].unit = "pages";
  EXPECT_THAT(declare(other), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_TRUE(declare(DoubleSource(1, {"a"})).ok());
  EXPECT_TRUE(declare(DoubleSource(1, {"a", "b", "c"})).ok());
  EXPECT_EQ(runs().GetRun(spec.key.uuid)->sources[0].metric_count, 3);
}

TEST_F(RunContractTest, EndingARunAgainChangesNothing) {
  const model::RunSpec spec = NewSpec("abc");
  model::RunOutcome failed = EndedAt(At(9), 3);
  failed.last_output_lines = {"boom"};
  Finish(spec, {{"m", 1}}, failed);
  const auto opened = ingest().OpenRun(spec, "bot");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->state, model::RunState::kFailed);
  const auto again = ingest().EndRun(spec.key.run_id, opened->epoch, EndedAt(At(10)));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, model::RunState::kFailed);
  const auto run = runs().GetRun(spec.key.uuid);
  ASSERT_TRUE(run->outcome.has_value());
  EXPECT_EQ(run->outcome->end_time, At(9));
  EXPECT_EQ(run->outcome->exit_status, 3);
  EXPECT_THAT(run->outcome->last_output_lines, ElementsAre("boom"));
}

TEST_F(RunContractTest, GivesTheWholeRunBack) {
  model::RunSpec spec = NewSpec("abc");
  spec.commit.subject = "mm: swap faster";
  spec.facts = {.testbox = "lkp-hsw-ep2-1",
                .boot_id = "b00t",
                .kernel_release = "6.18.0",
                .kernel_version = "#1 SMP",
                .kernel_cmdline = "quiet a=\"b c\"",
                .cpu_model = "Xeon\xC2\xAE",
                .socket_count = 2,
                .cpu_count = 72,
                .memory_size_bytes = 274877906944,
                .microcode = "0x49",
                .swap_devices = {"/dev/zram0 partition 8388604 100", "/swap{1},\"x\""},
                .tool_versions = {{"perf", "6.1.192"}},
                .settings = {{"swappiness", "60"}, {"thp_enabled", "always"}}};
  spec.command = {"./run", "", "a b", "\\\"{NULL},"};
  spec.job_toml = "[job]\nname = \"x\"\n";
  spec.agent_version = "0.1.0";
  spec.monitor_notes = {{"perf-stat", "no PMU"}};
  Finish(spec, {{"m", 1}},
         {.end_time = At(1'500'000),
          .exit_status = -1,
          .term_signal = 9,
          .last_output_lines = {"", "killed"},
          .monitor_notes = {{"vmstat", "stopped early"}},
          .failure = "out of memory"});
  const auto run = runs().GetRun(spec.key.uuid);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->spec.key, spec.key);
  EXPECT_EQ(run->spec.axes.list(), spec.axes.list());
  EXPECT_EQ(run->spec.commit.subject, "mm: swap faster");
  EXPECT_EQ(run->spec.facts, spec.facts);
  EXPECT_EQ(run->spec.start_time, spec.start_time);
  EXPECT_EQ(run->spec.command, spec.command);
  EXPECT_EQ(run->spec.job_toml, spec.job_toml);
  EXPECT_EQ(run->spec.agent_version, "0.1.0");
  EXPECT_EQ(run->spec.monitor_notes, (std::map<std::string, std::string>{
                                         {"perf-stat", "no PMU"}, {"vmstat", "stopped early"}}));
  EXPECT_EQ(run->state, model::RunState::kFailed);
  ASSERT_TRUE(run->outcome.has_value());
  EXPECT_EQ(run->outcome->end_time, At(1'500'000));
  EXPECT_EQ(run->outcome->exit_status, -1);
  EXPECT_EQ(run->outcome->term_signal, 9);
  EXPECT_THAT(run->outcome->last_output_lines, ElementsAre("", "killed"));
  EXPECT_EQ(run->outcome->failure, "out of memory");
  EXPECT_EQ(run->created_by, "bot");
}

TEST_F(RunContractTest, FindsARunByAnyPrefixThatIsItsOwn) {
  const model::RunSpec first = FinishNew("abc");   // 00000001-0000-4000-...
  const model::RunSpec second = FinishNew("abc");  // 00000002-0000-4000-...
  EXPECT_EQ(runs().GetRun("00000002")->spec.key, second.key);
  EXPECT_EQ(runs().GetRun("000000010000400080")->spec.key, first.key);
  const auto several = runs().GetRun("0000-").status();
  EXPECT_THAT(several, HasCode(absl::StatusCode::kInvalidArgument));
  const auto ambiguous = runs().GetRun("0000").status();
  EXPECT_THAT(ambiguous, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(ambiguous.message()), HasSubstr(second.key.uuid));
  EXPECT_THAT(runs().GetRun("000").status(), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(runs().GetRun("r-17x").status(), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(runs().GetRun("0000%").status(), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(runs().GetRun("abcd").status(), HasCode(absl::StatusCode::kNotFound));
}

TEST_F(RunContractTest, ListsByFilterNewestFirstPageByPage) {
  const model::RunSpec a = FinishNew("abc");
  const model::RunSpec b = FinishNew("abd");
  model::RunSpec c = NewSpec("abc", AxesOf({{"testcase", "kernbench"}}));
  c.facts.testbox = "other";
  Finish(c, {{"m", 1}}, EndedAt(At(1), 1));
  store().PassTime();
  const model::RunSpec d = NewSpec("abc");
  ASSERT_TRUE(ingest().OpenRun(d, "bot").ok());

  const auto list = [&](const RunFilter& filter) {
    return UuidsOf(test::NounsOf(runs().ListRuns(filter, std::nullopt, 10)));
  };
  RunFilter filter;
  EXPECT_THAT(list(filter), ElementsAre(d.key.uuid, c.key.uuid, b.key.uuid, a.key.uuid));
  filter.commit_id = "abc";
  EXPECT_THAT(list(filter), ElementsAre(d.key.uuid, c.key.uuid, a.key.uuid));
  filter.axes = AxesOf({{"tbox_group", "lkp-hsw-ep2"}});
  EXPECT_THAT(list(filter), ElementsAre(d.key.uuid, a.key.uuid));
  filter.state = model::RunState::kComplete;
  EXPECT_THAT(list(filter), ElementsAre(a.key.uuid));
  filter = {};
  filter.testbox = "other";
  EXPECT_THAT(list(filter), ElementsAre(c.key.uuid));
  filter.axes = AxesOf({{"testcase", "kernbench"}, {"tbox_group", "lkp-hsw-ep2"}});
  EXPECT_THAT(list(filter), IsEmpty());

  const auto page = runs().ListRuns({}, std::nullopt, 3);
  ASSERT_THAT(*page, SizeIs(3));
  const auto rest = runs().ListRuns({}, page->back().position, 3);
  EXPECT_THAT(UuidsOf(test::NounsOf(rest)), ElementsAre(a.key.uuid));
}

TEST_F(RunContractTest, ReducesEachSeriesByItsReduction) {
  model::Source source;
  source.source_id = 1;
  source.name = "proc";
  const auto metric = [](const std::string& name, model::MetricKind kind,
                         model::Reduction reduction, double scale) {
    model::Metric m = Gauge(name);
    m.kind = kind;
    m.reduction = reduction;
    m.scale = scale;
    m.unit = "pages";
    return m;
  };
  source.metrics = {
      metric("reset", model::MetricKind::kCounter, model::Reduction::kDelta, 1),
      metric("huge", model::MetricKind::kCounter, model::Reduction::kDelta, 1),
      metric("mean", model::MetricKind::kGauge, model::Reduction::kMean, 0.5),
      metric("sum", model::MetricKind::kDelta, model::Reduction::kSum, 1),
      metric("max", model::MetricKind::kGauge, model::Reduction::kMax, 1),
      metric("absent", model::MetricKind::kGauge, model::Reduction::kMean, 1),
  };
  const model::RunSpec spec = NewSpec("abc");
  const std::int64_t epoch = Send(spec, source, [&](std::int64_t e) -> std::vector<EncodedBatch> {
    const bool o = false;
    const bool x = true;
    return {EncodeSamples(spec.key.run_id, 1, e,
                          {.first_seq = 1,
                           .times = {At(0), At(1), At(2), At(3)},
                           .metric_count = 6,
                           .ints = {100, -10, 1, 3, -7, 0,  //
                                    150, -5,  2, 4, -2, 0,  //
                                    20,  -3,  9, 5, -9, 0,  //
                                    50,  -1,  4, 0, -8, 0},
                           .doubles = {},
                           .missing = {o, o, o, o, o, x,  //
                                       o, o, o, o, o, x,  //
                                       o, o, x, o, o, x,  //
                                       o, o, o, o, o, x}})};
  });
  EXPECT_THAT(*runs().ListRunValues(spec.key.run_id), IsEmpty());
  ASSERT_TRUE(ingest().EndRun(spec.key.run_id, epoch, EndedAt(At(9))).ok());

  const auto values = test::NounsOf(runs().ListRunValues(spec.key.run_id));
  std::map<std::string, RunValue> by_name;
  for (const RunValue& value : values) by_name[value.metric.name] = value;
  ASSERT_THAT(by_name, SizeIs(5));
  // 100 to 150, a reset, 0 to 20, 20 to 50.
  EXPECT_EQ(by_name["reset"].value, 100);
  EXPECT_EQ(by_name["reset"].sample_count, 4);
  // From 2^64-10 to 2^64-1.
  EXPECT_EQ(by_name["huge"].value, 9);
  // Python 3.11: statistics.fmean([0.5, 1.0, 2.0]).
  EXPECT_EQ(by_name["mean"].value, 1.1666666666666667);
  EXPECT_EQ(by_name["mean"].sample_count, 3);
  EXPECT_EQ(by_name["sum"].value, 12);
  EXPECT_EQ(by_name["max"].value, -2);
  EXPECT_EQ(by_name["reset"].metric.kind, model::MetricKind::kCounter);
  EXPECT_EQ(by_name["reset"].metric.reduction, model::Reduction::kDelta);
  EXPECT_EQ(by_name["mean"].metric.unit, "pages");
  EXPECT_EQ(by_name["mean"].metric.scale, 1);
}

TEST_F(RunContractTest, AMetricOfTwoSourcesHasTheValueOfTheFirstAndTheRunSaysSo) {
  const model::RunSpec spec = NewSpec("abc");
  const std::int64_t run_id = spec.key.run_id;
  const model::Source second = DoubleSource(2, {"both", "only"});
  const std::int64_t epoch =
      Send(spec, DoubleSource(1, {"both"}), [&](std::int64_t e) -> std::vector<EncodedBatch> {
        return {EncodeSamples(run_id, 1, e,
                              {.first_seq = 1,
                               .times = {At(0)},
                               .metric_count = 1,
                               .ints = {},
                               .doubles = {1},
                               .missing = {}})};
      });
  ASSERT_TRUE(ingest().DeclareSource(run_id, epoch, second).ok());
  ASSERT_TRUE(ingest()
                  .CommitBatches(std::vector{EncodeSamples(run_id, 2, epoch,
                                                           {.first_seq = 1,
                                                            .times = {At(0)},
                                                            .metric_count = 2,
                                                            .ints = {},
                                                            .doubles = {2, 3},
                                                            .missing = {}})})
                  .ok());
  model::RunOutcome outcome = EndedAt(At(9));
  outcome.monitor_notes["perf-stat"] = "stopped early";
  ASSERT_TRUE(ingest().EndRun(run_id, epoch, outcome).ok());

  const auto values = test::NounsOf(runs().ListRunValues(run_id));
  ASSERT_THAT(values, SizeIs(2));
  EXPECT_EQ(values[0].value, 1);
  EXPECT_EQ(values[1].value, 3);
  const auto notes = runs().GetRun(spec.key.uuid)->spec.monitor_notes;
  EXPECT_THAT(notes, Contains(Pair("perf-stat", "stopped early")));
  EXPECT_THAT(notes, Contains(Pair("run values", AllOf(HasSubstr("both came from source 1 ("),
                                                       HasSubstr("and from source 2 ("),
                                                       Not(HasSubstr("only"))))));
  EXPECT_THAT(ReadAll(run_id, {"both"}), SizeIs(2));
}

TEST_F(RunContractTest, ASumBeyondTheRangeOfADoubleIsNoValueAndTheRunSaysSo) {
  const model::RunSpec spec = NewSpec("abc");
  model::Source source = DoubleSource(1, {"mean", "sum"});
  source.metrics[1].reduction = model::Reduction::kSum;
  const std::int64_t epoch = Send(spec, source, [&](std::int64_t e) -> std::vector<EncodedBatch> {
    return {EncodeSamples(spec.key.run_id, 1, e,
                          {.first_seq = 1,
                           .times = {At(0), At(1)},
                           .metric_count = 2,
                           .ints = {},
                           .doubles = {1.5e308, 1.5e308, 1.5e308, 1.5e308},
                           .missing = {}})};
  });
  ASSERT_TRUE(ingest().EndRun(spec.key.run_id, epoch, EndedAt(At(9))).ok());
  const auto values = test::NounsOf(runs().ListRunValues(spec.key.run_id));
  ASSERT_THAT(values, SizeIs(1));
  EXPECT_EQ(values[0].value, 1.5e308);
  EXPECT_THAT(runs().GetRun(spec.key.uuid)->spec.monitor_notes,
              ElementsAre(Pair("run values", HasSubstr("sum of source 1"))));
}

TEST_F(RunContractTest, ListsRunValuesInByteOrder) {
  const model::RunSpec spec = NewSpec("abc");
  Finish(spec, {{"b", 1}, {"a_b", 2}, {"a.b", 3}, {"B", 4}, {"\xC3\xA9", 5}});
  std::vector<std::string> names;
  for (const RunValue& value : test::NounsOf(runs().ListRunValues(spec.key.run_id))) {
    names.push_back(value.metric.name);
  }
  EXPECT_THAT(names, ElementsAre("B", "a.b", "a_b", "b", "\xC3\xA9"));
  EXPECT_THAT(runs().ListRunValues(4711).status(), HasCode(absl::StatusCode::kNotFound));
}

TEST_F(RunContractTest, TheFirstReasonOfAnExclusionStays) {
  const model::RunSpec spec = FinishNew("abc");
  JudgeAll();
  EXPECT_THAT(runs().Exclude(spec.key.run_id, "", "ann").status(),
              HasCode(absl::StatusCode::kInvalidArgument));
  const auto first = runs().Exclude(spec.key.run_id, "disk was full", "ann");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, ExcludeOutcome::kExcluded);
  EXPECT_EQ(*regressions().CountDue(), 1);
  const auto second = runs().Exclude(spec.key.run_id, "other", "bob");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(*second, ExcludeOutcome::kAlreadyExcluded);
  const auto run = runs().GetRun(spec.key.uuid);
  EXPECT_EQ(run->exclude_reason, "disk was full");
  EXPECT_EQ(run->excluded_by, "ann");
  EXPECT_THAT(runs().Exclude(4711, "x", "ann").status(), HasCode(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace regressd::storage
