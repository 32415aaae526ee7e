// What the worker found, what people decided, and the feed of both.

#include "tests/storage/contract_fixture.h"
#include "tests/support/nouns_of.h"

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = model::RegressionState;

model::RegressionMetric MetricOf(const std::string& name, std::int32_t run_count,
                                 double relative_change) {
  model::RegressionMetric m;
  m.metric = Gauge(name);
  m.metric.unit = "KB/s";
  m.metric.better = model::Better::kHigher;
  m.judgement.verdict = model::Verdict::kRegression;
  m.judgement.reason = "significant";
  m.judgement.rule = "welch-1";
  m.judgement.base = {run_count, 100.0, 0.1 + 0.2};
  m.judgement.head = {run_count, 100.0 * (1 + relative_change), 5e-324};
  m.judgement.absolute_change = 100.0 * relative_change;
  m.judgement.relative_change = relative_change;
  m.judgement.t_statistic = -1.0 / 3;
  m.judgement.p_value = 1.7976931348623157e-308;
  m.judgement.q_value = 0.0;
  m.judgement.max_q_value = 0.05;
  m.judgement.min_relative_change = 0.02;
  m.judgement.family_size = 1200;
  return m;
}

model::Regression Found(std::int32_t run_count, double relative_change = -0.2) {
  model::Regression found;
  found.title = "vm-scalability.throughput fell by 20 %";
  found.metrics = {MetricOf("vm-scalability.throughput", run_count, relative_change),
                   MetricOf("proc-vmstat.pswpout", run_count, 1.5)};
  found.headline_metric = found.metrics[0].metric.name;
  found.facts.testbox = "lkp-hsw-ep2-1";
  found.facts.cpu_count = 72;
  return found;
}

class RegressionContractTest : public StoreContractTest {
 protected:
  void SetUp() override {
    FinishNew("base");
    FinishNew("head");
    JudgeAll();
  }

  Detection Of(std::optional<model::Regression> regression, const std::string& base = "base",
               const std::string& head = "head") {
    return {.axes_id = axes_.Id(),
            .base_commit_id = base,
            .head_commit_id = head,
            .regression = std::move(regression)};
  }

  /// Lets the worker find this.
  void Detect(const std::vector<Detection>& detections) {
    FinishNew("head");
    const auto processed = regressions().ProcessOneDue([&](const DueGroup&) { return detections; });
    ASSERT_TRUE(processed.ok()) << processed.status();
    ASSERT_TRUE(*processed);
  }
  void Detect(std::optional<model::Regression> regression) {
    Detect(std::vector{Of(std::move(regression))});
  }

  model::Regression Only() {
    const auto all = regressions().ListRegressions({}, std::nullopt, 10);
    EXPECT_TRUE(all.ok()) << all.status();
    EXPECT_THAT(*all, SizeIs(1));
    return all->empty()
               ? model::Regression{}
               : regressions().GetRegression(all->front().position.regression_id)->regression;
  }

  std::vector<State> EventStates() {
    std::vector<State> states;
    for (const RegressionChange& change : test::NounsOf(regressions().ListChanges(0, 100))) {
      states.push_back(change.event.state);
    }
    return states;
  }
};

TEST_F(RegressionContractTest, KeepsEveryNumberThatAVerdictRestsOn) {
  const model::Regression found = Found(3);
  Detect(found);
  const model::Regression stored = Only();
  EXPECT_EQ(stored.metrics, found.metrics);
  EXPECT_EQ(stored.title, found.title);
  EXPECT_EQ(stored.headline_metric, "vm-scalability.throughput");
  EXPECT_EQ(stored.facts, found.facts);
  EXPECT_EQ(stored.axes.list(), axes_.list());
  EXPECT_EQ(stored.base.commit_id, "base");
  EXPECT_EQ(stored.head.commit_id, "head");
  EXPECT_EQ(stored.created_by, "detector");
  EXPECT_EQ(stored.version, 1);
  EXPECT_FALSE(stored.muted);
}

TEST_F(RegressionContractTest, FewRunsMakeASuspectAndThreeConfirmIt) {
  Detect(Found(2));
  EXPECT_EQ(Only().state, State::kNew);
  Detect(Found(3));
  EXPECT_EQ(Only().state, State::kConfirmed);
  EXPECT_THAT(EventStates(), ElementsAre(State::kNew, State::kConfirmed));
  EXPECT_EQ(Only().version, 2);
}

TEST_F(RegressionContractTest, TheSameFindingAgainChangesNothing) {
  Detect(Found(3));
  const model::Regression before = Only();
  store().PassTime();
  Detect(Found(3));
  EXPECT_EQ(Only().version, before.version);
  EXPECT_EQ(Only().update_time, before.update_time);
  EXPECT_EQ(*regressions().LastEventId(), 1);
}

TEST_F(RegressionContractTest, ASmallMoveIsKeptQuietlyAndALargeOneIsAnEvent) {
  Detect(Found(3, -0.20));
  Detect(Found(4, -0.21));
  EXPECT_EQ(*regressions().LastEventId(), 1);
  EXPECT_EQ(Only().version, 2);
  EXPECT_EQ(Only().metrics[0].judgement.base.run_count, 4);
  EXPECT_EQ(Only().metrics[0].judgement.relative_change, -0.21);
  Detect(Found(5, -0.35));
  EXPECT_EQ(*regressions().LastEventId(), 2);
  EXPECT_EQ(Only().version, 3);
}

TEST_F(RegressionContractTest, AnotherMetricOrVerdictIsAnEvent) {
  Detect(Found(3));
  model::Regression fewer = Found(3);
  fewer.metrics.pop_back();
  Detect(fewer);
  EXPECT_EQ(*regressions().LastEventId(), 2);
  EXPECT_THAT(Only().metrics, SizeIs(1));
  model::Regression other = fewer;
  other.metrics[0].judgement.verdict = model::Verdict::kMixed;
  Detect(other);
  EXPECT_EQ(*regressions().LastEventId(), 3);
}

TEST_F(RegressionContractTest, WhatIsNoLongerFoundIsRetractedAndMayComeBack) {
  Detect(std::nullopt);
  EXPECT_EQ(*regressions().LastEventId(), 0);
  Detect(Found(3));
  Detect(std::nullopt);
  EXPECT_EQ(Only().state, State::kRetracted);
  EXPECT_THAT(Only().metrics, SizeIs(2));
  Detect(std::nullopt);
  Detect(Found(2));
  EXPECT_EQ(Only().state, State::kNew);
  EXPECT_THAT(EventStates(), ElementsAre(State::kConfirmed, State::kRetracted, State::kNew));
}

TEST_F(RegressionContractTest, WhatAPersonDecidedStaysWhateverTheWorkerFinds) {
  Detect(Found(2));
  const auto set = regressions().SetState(Only().regression_id, State::kFalsePositive,
                                          "the fan broke", "ann", std::nullopt);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->state, State::kFalsePositive);
  EXPECT_EQ(set->version, 2);
  Detect(Found(5, -0.5));
  EXPECT_EQ(Only().state, State::kFalsePositive);
  EXPECT_EQ(Only().metrics[0].judgement.base.run_count, 5);
  Detect(std::nullopt);
  EXPECT_EQ(Only().state, State::kFalsePositive);
  const auto events = regressions().GetRegression(Only().regression_id)->events;
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[1].created_by, "ann");
  EXPECT_EQ(events[1].comment, "the fan broke");
  EXPECT_EQ(events[1].state, State::kFalsePositive);
}

TEST_F(RegressionContractTest, AnOutdatedVersionIsAborted) {
  Detect(Found(3));
  const std::int64_t id = Only().regression_id;
  ASSERT_TRUE(regressions().SetState(id, State::kAcknowledged, "", "ann", 1).ok());
  EXPECT_THAT(regressions().SetState(id, State::kFixed, "", "bob", 1).status(),
              HasCode(absl::StatusCode::kAborted));
  EXPECT_EQ(Only().state, State::kAcknowledged);
  EXPECT_TRUE(regressions().SetState(id, State::kFixed, "", "bob", 2).ok());
}

TEST_F(RegressionContractTest, RefusesStatesThatNobodySetsAndUnknownRegressions) {
  Detect(Found(3));
  EXPECT_THAT(
      regressions().SetState(Only().regression_id, State::kNew, "", "ann", std::nullopt).status(),
      HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(regressions().SetState(4711, State::kFixed, "", "ann", std::nullopt).status(),
              HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(regressions().GetRegression(4711).status(), HasCode(absl::StatusCode::kNotFound));
}

TEST_F(RegressionContractTest, WhatWasFoundAgainstAnotherBaseIsRetracted) {
  Detect(std::vector{Of(Found(3), "base")});
  Detect(std::vector{Of(Found(3), "nearer")});
  const auto all = test::NounsOf(regressions().ListRegressions({}, std::nullopt, 10));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].base.commit_id, "nearer");
  EXPECT_EQ(all[0].state, State::kConfirmed);
  EXPECT_EQ(all[1].base.commit_id, "base");
  EXPECT_EQ(all[1].state, State::kRetracted);
  // Other heads are not concerned.
  Detect(std::vector{Of(std::nullopt, "nearest", "other-head")});
  EXPECT_EQ(test::NounsOf(regressions().ListRegressions({}, std::nullopt, 10)).at(0).state,
            State::kConfirmed);
}

TEST_F(RegressionContractTest, TheFeedHasEveryEventInItsOrder) {
  EXPECT_EQ(*regressions().LastEventId(), 0);
  Detect(Found(2));
  const std::int64_t id = Only().regression_id;
  ASSERT_TRUE(regressions().SetState(id, State::kConfirmed, "seen", "ann", std::nullopt).ok());
  ASSERT_TRUE(regressions().SetState(id, State::kFixed, "", "bob", std::nullopt).ok());
  const auto first = test::NounsOf(regressions().ListChanges(0, 2));
  ASSERT_THAT(first, SizeIs(2));
  EXPECT_LT(first[0].event.event_id, first[1].event.event_id);
  EXPECT_EQ(first[0].event.created_by, "detector");
  EXPECT_EQ(first[1].event.comment, "seen");
  EXPECT_EQ(first[1].regression.regression_id, id);
  EXPECT_THAT(first[1].regression.metrics, SizeIs(1));
  const auto rest = test::NounsOf(regressions().ListChanges(first[1].event.event_id, 10));
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(rest[0].event.state, State::kFixed);
  EXPECT_EQ(rest[0].event.event_id, *regressions().LastEventId());
  EXPECT_THAT(*regressions().ListChanges(*regressions().LastEventId(), 10), IsEmpty());
}

TEST_F(RegressionContractTest, ListsByFilterNewestFirstPageByPage) {
  Detect(std::vector{Of(Found(3), "base", "h1")});
  store().PassTime();
  Detect(std::vector{Of(Found(2), "base", "h2")});
  store().PassTime();
  Detect(std::vector{Of(Found(3), "base", "h3")});
  const auto heads = [&](const RegressionFilter& filter,
                         std::optional<RegressionPosition> after = std::nullopt, int limit = 10) {
    std::vector<std::string> ids;
    for (const model::Regression& r :
         test::NounsOf(regressions().ListRegressions(filter, after, limit))) {
      EXPECT_THAT(r.metrics, SizeIs(1));
      ids.push_back(r.head.commit_id);
    }
    return ids;
  };
  EXPECT_THAT(heads({}), ElementsAre("h3", "h2", "h1"));
  RegressionFilter filter;
  filter.states = {State::kConfirmed, State::kFixed};
  EXPECT_THAT(heads(filter), ElementsAre("h3", "h1"));
  filter = {};
  filter.head_commit_id = "h2";
  EXPECT_THAT(heads(filter), ElementsAre("h2"));
  filter = {};
  filter.axes = AxesOf({{"testcase", "vm-scalability"}});
  EXPECT_THAT(heads(filter), SizeIs(3));
  filter.axes = AxesOf({{"testcase", "kernbench"}});
  EXPECT_THAT(heads(filter), IsEmpty());
  const auto page = regressions().ListRegressions({}, std::nullopt, 2);
  EXPECT_THAT(heads({}, page->back().position), ElementsAre("h1"));
}

}  // namespace
}  // namespace regressd::storage
