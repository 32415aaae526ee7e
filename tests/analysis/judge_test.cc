#include "services/analysis/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace regressd::analysis {
namespace {

using model::Better;
using model::Judgement;
using model::Verdict;

constexpr MetricTraits kThroughput{
    .better = Better::kHigher, .headline = true, .min_relative_change = 0.01};

Judgement JudgeOne(const MetricTraits& traits, const std::vector<double>& base,
                   const std::vector<double>& head) {
  const MetricRepeats metric{.traits = traits, .base = base, .head = head};
  return Judge({&metric, 1}).front();
}

void ExpectVerdict(const Judgement& judgement, Verdict verdict, const char* reason) {
  EXPECT_EQ(judgement.verdict, verdict) << ToString(judgement.verdict) << " " << judgement.reason;
  EXPECT_EQ(judgement.reason, reason);
}

TEST(JudgeTest, FlagsAClearDropOfThroughputWithEveryNumber) {
  // golden/detection/pairwise_cases.json, n4v4_sep (scipy 1.10.1), with base and head swapped.
  const Judgement judgement = JudgeOne(kThroughput, {5.6, 5.7, 5.5, 5.8}, {5.1, 5.0, 5.2, 4.9});
  ExpectVerdict(judgement, Verdict::kRegression, "significant");
  EXPECT_EQ(judgement.rule, "welch-1");
  EXPECT_EQ(judgement.base.run_count, 4);
  EXPECT_NEAR(judgement.base.mean, 5.65, 1e-12);
  EXPECT_NEAR(judgement.head.sample_stddev, 0.12909944487358055, 1e-12);
  EXPECT_NEAR(judgement.absolute_change, -0.6, 1e-12);
  EXPECT_NEAR(*judgement.relative_change, -0.6 / 5.65, 1e-12);
  EXPECT_NEAR(*judgement.t_statistic, -6.572670690061993, 1e-8);
  EXPECT_NEAR(*judgement.degrees_of_freedom, 6, 1e-9);
  EXPECT_NEAR(*judgement.p_value, 0.0005947649754862595, 1e-9);
  EXPECT_NEAR(*judgement.q_value, 0.0005947649754862595, 1e-9);  // A family of one.
  EXPECT_NEAR(*judgement.rank_p_value, 0.02857142857142857, 1e-12);
  EXPECT_NEAR(*judgement.shift, -0.6, 1e-12);
  EXPECT_EQ(judgement.max_q_value, 0.05);
  EXPECT_EQ(judgement.min_relative_change, 0.01);
  EXPECT_EQ(judgement.family_size, 1);
}

TEST(JudgeTest, TellsRegressionFromImprovementByDirection) {
  const std::vector<double> low{100, 101, 99, 100.5};
  const std::vector<double> high{110, 111, 109, 110.5};
  MetricTraits traits = kThroughput;
  EXPECT_EQ(JudgeOne(traits, low, high).verdict, Verdict::kImprovement);
  EXPECT_EQ(JudgeOne(traits, high, low).verdict, Verdict::kRegression);
  traits.better = Better::kLower;
  EXPECT_EQ(JudgeOne(traits, low, high).verdict, Verdict::kRegression);
  EXPECT_EQ(JudgeOne(traits, high, low).verdict, Verdict::kImprovement);
  traits.better = Better::kNeither;
  EXPECT_EQ(JudgeOne(traits, low, high).verdict, Verdict::kChanged);
  EXPECT_EQ(JudgeOne(traits, high, low).verdict, Verdict::kChanged);
}

TEST(JudgeTest, ReadsNegativeMeansByTheSignOfTheChange) {
  // -20 to -10 is a rise of 50 % of |base|.
  const Judgement judgement =
      JudgeOne(kThroughput, {-20, -20.2, -19.8, -20.1}, {-10, -10.1, -9.9, -10.2});
  ExpectVerdict(judgement, Verdict::kImprovement, "significant");
  EXPECT_NEAR(*judgement.relative_change, 0.5, 0.005);
}

TEST(JudgeTest, NeverGatesOnAnUncataloguedMetric) {
  MetricTraits traits{.better = Better::kLower, .headline = false, .catalogued = false};
  const Judgement judgement = JudgeOne(traits, {10, 10.1, 9.9, 10}, {20, 20.1, 19.9, 20});
  ExpectVerdict(judgement, Verdict::kChanged, "significant");
  EXPECT_EQ(judgement.max_q_value, 0.01);
}

TEST(JudgeTest, NeedsThreeRunsASide) {
  // Two runs a side can be told apart by ranks with p = 1/3 at best (n2v2_sep of the golden cases).
  const std::vector<double> two{10, 11};
  const std::vector<double> many{20, 21, 20.5, 20.7, 21.2, 20.1, 20.2};
  for (const auto& [base, head] :
       std::vector<std::pair<std::vector<double>, std::vector<double>>>{{{10}, {20}},
                                                                        {{10}, many},
                                                                        {many, {10}},
                                                                        {two, {20, 21}},
                                                                        {two, many},
                                                                        {many, two},
                                                                        {{5}, {5}},
                                                                        {{0, 0}, {0, 0}}}) {
    const Judgement judgement = JudgeOne(kThroughput, base, head);
    ExpectVerdict(judgement, Verdict::kInconclusive, "insufficient");
    EXPECT_FALSE(judgement.q_value.has_value());
    EXPECT_EQ(judgement.family_size, 0);
  }
}

TEST(JudgeTest, SeparatesThreeRunsASideOnlyWhenTheyDoNotOverlap) {
  ExpectVerdict(JudgeOne(kThroughput, {100, 101, 99}, {110, 111, 109}), Verdict::kImprovement,
                "significant");
  // One head run lies within the base's range: Welch alone says p = 0.03.
  const Judgement overlap = JudgeOne(kThroughput, {100, 101, 103}, {102.9, 112, 115});
  EXPECT_EQ(overlap.verdict, Verdict::kUnchanged) << overlap.reason;
}

TEST(JudgeTest, NamesTheRanksWhenOnlyTheyStandAgainst) {
  // Thirty runs a side, of which 24 are as before and six make the mean.
  std::vector<double> base;
  std::vector<double> head;
  for (int i = 0; i < 30; ++i) {
    base.push_back(100 + 0.03 * i);
    head.push_back(i % 5 == 0 ? 103 + 0.1 * i : 100.001 + 0.03 * i);
  }
  MetricTraits traits = kThroughput;
  traits.min_relative_change = 0.005;
  const Judgement judgement = JudgeOne(traits, base, head);
  ASSERT_LT(*judgement.p_value, 0.05);
  ASSERT_GT(*judgement.rank_p_value, 0.05);
  ExpectVerdict(judgement, Verdict::kUnchanged, "ranks_overlap");
}

TEST(JudgeTest, LeavesSmallEffectsAloneHoweverSure) {
  const std::vector<double> base{1000, 1000.1, 999.9, 1000};
  const std::vector<double> head{1005, 1005.1, 1004.9, 1005};
  ExpectVerdict(JudgeOne(kThroughput, base, head), Verdict::kUnchanged, "below_min_effect");
  MetricTraits traits = kThroughput;
  traits.min_relative_change = 0.001;
  ExpectVerdict(JudgeOne(traits, base, head), Verdict::kImprovement, "significant");
  traits.min_absolute_change = 6;
  ExpectVerdict(JudgeOne(traits, base, head), Verdict::kUnchanged, "below_min_effect");
  traits.min_absolute_change = 0;
  traits.min_level = 2000;
  ExpectVerdict(JudgeOne(traits, base, head), Verdict::kUnchanged, "below_min_level");
  // A level that only the head reaches counts.
  traits.min_level = 1004;
  ExpectVerdict(JudgeOne(traits, base, head), Verdict::kImprovement, "significant");
}

TEST(JudgeTest, LeavesIdenticalConstantsOutOfTheFamily) {
  const std::vector<double> zeros(5, 0.0);
  const std::vector<double> low{100, 101, 99, 100, 100};
  const std::vector<double> high{110, 111, 109, 110, 110};
  std::vector<MetricRepeats> metrics(200, {.traits = kThroughput, .base = zeros, .head = zeros});
  metrics.push_back({.traits = kThroughput, .base = low, .head = high});
  const auto judgements = Judge(metrics);
  ExpectVerdict(judgements.front(), Verdict::kUnchanged, "identical");
  EXPECT_EQ(judgements.front().p_value, 1);
  EXPECT_FALSE(judgements.front().q_value.has_value());
  EXPECT_EQ(judgements.back().family_size, 1);
  EXPECT_EQ(judgements.back().q_value, judgements.back().p_value);
}

TEST(JudgeTest, AsksForMoreRunsWhenFewConstantsDiffer) {
  const Judgement judgement = JudgeOne(kThroughput, {100, 100, 100}, {90, 90, 90});
  ExpectVerdict(judgement, Verdict::kInconclusive, "changed_unconfirmed");
  EXPECT_FALSE(judgement.t_statistic.has_value());
  EXPECT_FALSE(judgement.p_value.has_value());
  EXPECT_NEAR(*judgement.rank_p_value, 0.1, 1e-12);
  EXPECT_NEAR(*judgement.relative_change, -0.1, 1e-12);
}

TEST(JudgeTest, BelievesFiveConstantsASide) {
  // Exact rank p = 2 / C(10, 5) = 0.0079.
  const Judgement judgement =
      JudgeOne(kThroughput, std::vector<double>(5, 100.0), std::vector<double>(5, 90.0));
  ExpectVerdict(judgement, Verdict::kRegression, "changed_deterministic");
  EXPECT_NEAR(*judgement.rank_p_value, 2.0 / 252, 1e-12);
  ExpectVerdict(JudgeOne(kThroughput, std::vector<double>(5, 100.0), std::vector<double>(5, 100.5)),
                Verdict::kUnchanged, "below_min_effect");
}

TEST(JudgeTest, TakesRoundingNoiseForConstancy) {
  const double sum = 0.1 + 0.2;  // 0.30000000000000004
  ExpectVerdict(JudgeOne(kThroughput, {0.3, sum, 0.3}, {sum, 0.3, sum}), Verdict::kUnchanged,
                "identical");
  ExpectVerdict(JudgeOne(kThroughput, {0.3, sum, 0.3}, {0.4, 0.4, 0.4}), Verdict::kInconclusive,
                "changed_unconfirmed");
}

TEST(JudgeTest, ReportsWhatAppearsFromNothingWithoutAPercentage) {
  MetricTraits traits{.better = Better::kLower, .min_absolute_change = 50, .min_level = 100};
  const Judgement judgement = JudgeOne(traits, {0, 0, 0, 0}, {400, 500, 450, 470});
  ExpectVerdict(judgement, Verdict::kRegression, "new_nonzero");
  EXPECT_FALSE(judgement.relative_change.has_value());
  EXPECT_NEAR(judgement.absolute_change, 455, 1e-9);
  ExpectVerdict(JudgeOne(traits, {0, 0, 0, 0}, {40, 50, 45, 47}), Verdict::kUnchanged,
                "below_min_level");
  ExpectVerdict(JudgeOne(traits, std::vector<double>(5, 0.0), std::vector<double>(5, 400.0)),
                Verdict::kRegression, "new_nonzero");
}

TEST(JudgeTest, ReportsWhatVanishesAsMinusHundredPercent) {
  const Judgement judgement = JudgeOne(kThroughput, {400, 500, 450, 470}, {0, 0, 0, 0});
  ExpectVerdict(judgement, Verdict::kRegression, "significant");
  EXPECT_DOUBLE_EQ(*judgement.relative_change, -1);
}

TEST(JudgeTest, DoesNotTakeAMissingMetricForZero) {
  const std::vector<double> some{400, 500, 450, 470};
  const Judgement gone = JudgeOne(kThroughput, some, {});
  ExpectVerdict(gone, Verdict::kInconclusive, "gone");
  EXPECT_EQ(gone.base.run_count, 4);
  EXPECT_EQ(gone.head.run_count, 0);
  EXPECT_FALSE(gone.relative_change.has_value());
  ExpectVerdict(JudgeOne(kThroughput, {}, some), Verdict::kInconclusive, "missing");
  ExpectVerdict(JudgeOne(kThroughput, {}, {}), Verdict::kInconclusive, "missing");
}

TEST(JudgeTest, LeavesNoNumbersOut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Judgement judgement =
      JudgeOne(kThroughput, {kNan, 100, 101, 99, 100}, {110, kInf, 111, -kInf, 109, 110, 1.7e308});
  ExpectVerdict(judgement, Verdict::kImprovement, "significant");
  EXPECT_EQ(judgement.base.run_count, 4);
  EXPECT_EQ(judgement.head.run_count, 4);
  ExpectVerdict(JudgeOne(kThroughput, {kNan, kNan, kNan}, {1, 2, 3}), Verdict::kInconclusive,
                "missing");
}

TEST(JudgeTest, DoesNotCallCountsCertainThatHappenToAgree) {
  // 3 -> 4 of a count: base constant, head nearly. With the variance 1/12 of rounding on both sides
  // t = 0.8 / sqrt(1/60 + 0.2/5) = 3.36; without it t = 0.8 / sqrt(0.2/5) = 4.
  MetricTraits traits{.better = Better::kLower, .quantum = 1};
  const Judgement judgement = JudgeOne(traits, {3, 3, 3, 3, 3}, {4, 4, 4, 4, 3});
  EXPECT_NEAR(*judgement.t_statistic, 0.8 / std::sqrt(1.0 / 60 + 0.2 / 5), 1e-9);
  EXPECT_EQ(judgement.base.sample_stddev, 0);  // Shown as it is.
}

TEST(JudgeTest, StaysQuietOnOneFarOutlier) {
  const Judgement judgement =
      JudgeOne(kThroughput, {10, 10.1, 9.9, 10.05, 9.95}, {10, 10.1, 9.9, 10.02, 500});
  EXPECT_EQ(judgement.verdict, Verdict::kUnchanged);
}

TEST(JudgeTest, CorrectsEachFamilyByItself) {
  // p of the headline is about 0.03: alone it stands, among 40 noisy headlines it would not.
  const std::vector<double> base{100, 104, 102, 98, 96};
  const std::vector<double> head{106, 110, 104, 108, 103};
  const std::vector<double> noise{100, 104, 102, 98, 96.5};
  MetricTraits other{.better = Better::kHigher};
  std::vector<MetricRepeats> metrics(40, {.traits = other, .base = base, .head = noise});
  metrics.push_back({.traits = kThroughput, .base = base, .head = head});
  EXPECT_EQ(Judge(metrics).back().verdict, Verdict::kImprovement);
  for (auto& metric : metrics) metric.traits = kThroughput;
  ExpectVerdict(Judge(metrics).back(), Verdict::kUnchanged, "not_significant");
}

TEST(JudgeTest, TakesLimitsFromItsOptions) {
  const std::vector<double> base{100, 104, 102, 98, 96};
  const std::vector<double> head{106, 110, 104, 108, 103};
  const MetricRepeats metric{.traits = kThroughput, .base = base, .head = head};
  const auto judgement = Judge({&metric, 1}, {.max_q_value = 0.0001}).front();
  ExpectVerdict(judgement, Verdict::kUnchanged, "not_significant");
  EXPECT_EQ(judgement.max_q_value, 0.0001);
}

TEST(JudgeTest, JudgesNothing) { EXPECT_TRUE(Judge({}).empty()); }

}  // namespace
}  // namespace regressd::analysis
