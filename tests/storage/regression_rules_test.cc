#include "storage/regression_rules.h"

#include <gtest/gtest.h>

namespace regressd::storage {
namespace {

using State = model::RegressionState;

model::Regression Finding(std::int32_t base_runs, std::int32_t head_runs, double change) {
  model::Regression found;
  found.headline_metric = "m";
  found.metrics.emplace_back().metric.name = "m";
  model::Judgement& judgement = found.metrics.back().judgement;
  judgement.verdict = model::Verdict::kRegression;
  judgement.base.run_count = base_runs;
  judgement.head.run_count = head_runs;
  judgement.relative_change = change;
  return found;
}

KnownRegression Known(State state, const model::Regression& regression) {
  KnownRegression known{.regression = regression};
  known.regression.state = state;
  return known;
}

TEST(RegressionRulesTest, TheSideWithFewerRunsDecidesWhetherItIsConfirmed) {
  EXPECT_EQ(EffectOfFinding(nullptr, Finding(2, 9, -0.2)).state, State::kNew);
  EXPECT_EQ(EffectOfFinding(nullptr, Finding(9, 2, -0.2)).state, State::kNew);
  EXPECT_EQ(EffectOfFinding(nullptr, Finding(3, 3, -0.2)).state, State::kConfirmed);
}

TEST(RegressionRulesTest, TheWorkerLeavesStatesThatItDoesNotOwn) {
  const model::Regression found = Finding(3, 3, -0.2);
  for (const State state : {State::kReported, State::kWentAway, State::kFixed}) {
    const KnownRegression known = Known(state, found);
    EXPECT_EQ(EffectOfFinding(&known, found).state, state);
    EXPECT_FALSE(EffectOfFinding(&known, found).changed);
  }
  EXPECT_EQ(EffectOfNothing(Known(State::kReported, found)).state, State::kRetracted);
  EXPECT_FALSE(EffectOfNothing(Known(State::kWentAway, found)).changed);
  EXPECT_FALSE(EffectOfNothing(Known(State::kRetracted, found)).changed);
}

TEST(RegressionRulesTest, AHeadlineMovesVisiblyBeyondAPointAndATenth) {
  const KnownRegression known = Known(State::kConfirmed, Finding(3, 3, -0.20));
  // Up to 1 % + a tenth of 20 % = 3 points either way is quiet.
  EXPECT_FALSE(EffectOfFinding(&known, Finding(3, 3, -0.229)).visible);
  EXPECT_TRUE(EffectOfFinding(&known, Finding(3, 3, -0.229)).changed);
  EXPECT_TRUE(EffectOfFinding(&known, Finding(3, 3, -0.231)).visible);
  EXPECT_FALSE(EffectOfFinding(&known, Finding(3, 3, -0.171)).visible);
  EXPECT_TRUE(EffectOfFinding(&known, Finding(3, 3, -0.169)).visible);
}

TEST(RegressionRulesTest, RetriesWaitTwiceAsLongEachTimeUpToFiveMinutes) {
  using std::chrono::seconds;
  EXPECT_EQ(RetryDelay(1), seconds{1});
  EXPECT_EQ(RetryDelay(2), seconds{2});
  EXPECT_EQ(RetryDelay(5), seconds{16});
  EXPECT_EQ(RetryDelay(9), seconds{256});
  EXPECT_EQ(RetryDelay(10), seconds{300});
  EXPECT_EQ(RetryDelay(1'000'000), seconds{300});
}

}  // namespace
}  // namespace regressd::storage
