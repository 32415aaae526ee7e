#include "services/analysis/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace regressd::analysis {
namespace {

TEST(SummaryTest, NamesBothDivisors) {
  // Python 3.11: statistics.mean, stdev and pstdev of [2, 4, 4, 4, 5, 5, 7, 9].
  const Moments moments = Summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(moments.count, 8U);
  EXPECT_DOUBLE_EQ(moments.mean, 5);
  EXPECT_NEAR(moments.sample_stddev, 2.138089935299395, 1e-14);
  EXPECT_DOUBLE_EQ(moments.population_stddev, 2);
}

TEST(SummaryTest, KeepsASmallSpreadOnALargeMean) {
  // Python 3.11: statistics.stdev([4, 7, 13, 16]) = 5.477225575051661; NIST's NumAcc tests shift
  // such values by 1e9 and 1e12, and the sum-of-squares shortcut gives 0 or NaN there.
  const Moments moments = Summarize(std::vector<double>{1e12 + 4, 1e12 + 7, 1e12 + 13, 1e12 + 16});
  EXPECT_DOUBLE_EQ(moments.mean, 1e12 + 10);
  EXPECT_NEAR(moments.sample_stddev, 5.477225575051661, 1e-12);
}

TEST(SummaryTest, LosesNothingToCancellation) {
  // Exact: (1 + 1e16 - 1e16 + 1) / 4 = 0.5. A plain sum gives 0 or 0.25.
  EXPECT_DOUBLE_EQ(Summarize(std::vector<double>{1, 1e16, 1, -1e16}).mean, 0.5);
}

TEST(SummaryTest, DoesNotDependOnTheOrder) {
  std::vector<double> values{0.1, 0.7, 1e9, -3.3, 0.2, 0.30000000000000004, 1e-9};
  const Moments first = Summarize(values);
  std::sort(values.begin(), values.end(), std::greater<>());
  do {
    const Moments moments = Summarize(values);
    ASSERT_EQ(moments.mean, first.mean);
    ASSERT_EQ(moments.sample_stddev, first.sample_stddev);
  } while (std::prev_permutation(values.begin(), values.end()));
}

TEST(SummaryTest, GivesEqualValuesNoSpread) {
  for (const double value : {0.1, 1e300, 1e-310, -7.3, 0.0}) {
    const Moments moments = Summarize(std::vector<double>(7, value));
    EXPECT_EQ(moments.mean, value);
    EXPECT_EQ(moments.sample_stddev, 0) << value;
  }
}

TEST(SummaryTest, NeitherOverflowsNorUnderflows) {
  // Stddev of {x, 2x, 3x} is x for every x.
  for (const double x : {1e-200, 1e200, 3e299}) {
    const Moments moments = Summarize(std::vector<double>{x, 2 * x, 3 * x});
    EXPECT_NEAR(moments.sample_stddev / x, 1, 1e-14);
    EXPECT_NEAR(moments.mean / x, 2, 1e-14);
  }
}

TEST(SummaryTest, GivesASingleValueNoSpreadAndNoValuesNothing) {
  EXPECT_EQ(Summarize(std::vector<double>{3.5}).sample_stddev, 0);
  EXPECT_EQ(Summarize(std::vector<double>{3.5}).mean, 3.5);
  EXPECT_EQ(Summarize({}).count, 0U);
}

TEST(SummaryTest, TakesRoundingForConstancyButNoMeasuredSpread) {
  EXPECT_TRUE(IsConstant(std::vector<double>{0.1 + 0.2, 0.3}));
  EXPECT_TRUE(IsConstant(std::vector<double>{0, 0}));
  EXPECT_TRUE(IsConstant(std::vector<double>{5}));
  EXPECT_FALSE(IsConstant(std::vector<double>{1e12, 1e12 + 1}));
  EXPECT_FALSE(IsConstant(std::vector<double>{0, 1e-300}));
  EXPECT_FALSE(IsConstant({}));
}

}  // namespace
}  // namespace regressd::analysis
