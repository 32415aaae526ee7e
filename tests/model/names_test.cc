#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "services/model/comparison.h"
#include "services/model/regression.h"
#include "services/model/run.h"

namespace regressd::model {
namespace {

// The texts stand in databases and in proto's documentation: they never change.
template <typename Enum>
void ExpectNames(const std::vector<std::pair<Enum, std::string_view>>& names) {
  for (const auto& [value, name] : names) {
    EXPECT_EQ(ToString(value), name);
    Enum read{};
    EXPECT_TRUE(FromString(name, &read)) << name;
    EXPECT_EQ(read, value);
  }
  Enum untouched = names.back().first;
  EXPECT_FALSE(FromString("", &untouched));
  EXPECT_FALSE(FromString("Nonsense", &untouched));
  EXPECT_EQ(untouched, names.back().first);
}

TEST(NamesTest, AreThoseOfTheSchema) {
  ExpectNames<MetricKind>({{MetricKind::kGauge, "gauge"},
                           {MetricKind::kCounter, "counter"},
                           {MetricKind::kDelta, "delta"},
                           {MetricKind::kRatio, "ratio"}});
  ExpectNames<Better>(
      {{Better::kHigher, "higher"}, {Better::kLower, "lower"}, {Better::kNeither, "neither"}});
  ExpectNames<Reduction>({{Reduction::kMean, "mean"},
                          {Reduction::kDelta, "delta"},
                          {Reduction::kSum, "sum"},
                          {Reduction::kMax, "max"}});
  ExpectNames<RunState>({{RunState::kOpen, "open"},
                         {RunState::kComplete, "complete"},
                         {RunState::kFailed, "failed"},
                         {RunState::kIncomplete, "incomplete"}});
  ExpectNames<SourceContent>({{SourceContent::kIntSamples, "int"},
                              {SourceContent::kDoubleSamples, "double"},
                              {SourceContent::kStacks, "stacks"},
                              {SourceContent::kObservations, "observations"}});
  ExpectNames<Verdict>({{Verdict::kRegression, "regression"},
                        {Verdict::kImprovement, "improvement"},
                        {Verdict::kChanged, "changed"},
                        {Verdict::kMixed, "mixed"},
                        {Verdict::kUnchanged, "unchanged"},
                        {Verdict::kInconclusive, "inconclusive"}});
  ExpectNames<RegressionState>({{RegressionState::kNew, "new"},
                                {RegressionState::kConfirmed, "confirmed"},
                                {RegressionState::kReported, "reported"},
                                {RegressionState::kAcknowledged, "acknowledged"},
                                {RegressionState::kFixed, "fixed"},
                                {RegressionState::kWentAway, "went_away"},
                                {RegressionState::kRetracted, "retracted"},
                                {RegressionState::kEnvironment, "environment"},
                                {RegressionState::kFalsePositive, "false_positive"}});
}

TEST(NamesTest, OnlyDecisionsOfPeopleAreSettable) {
  EXPECT_TRUE(IsSettable(RegressionState::kConfirmed));
  EXPECT_TRUE(IsSettable(RegressionState::kAcknowledged));
  EXPECT_TRUE(IsSettable(RegressionState::kFixed));
  EXPECT_TRUE(IsSettable(RegressionState::kEnvironment));
  EXPECT_TRUE(IsSettable(RegressionState::kFalsePositive));
  EXPECT_FALSE(IsSettable(RegressionState::kNew));
  EXPECT_FALSE(IsSettable(RegressionState::kReported));
  EXPECT_FALSE(IsSettable(RegressionState::kWentAway));
  EXPECT_FALSE(IsSettable(RegressionState::kRetracted));
}

}  // namespace
}  // namespace regressd::model
