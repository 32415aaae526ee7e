#include "services/analysis/welch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace regressd::analysis {
namespace {

TEST(WelchTest, MatchesPublishedExample) {
  // R 4: extra by group of the data set `sleep` (Student 1908): t.test(extra ~ group)
  // prints t = -1.8608, df = 17.776, p-value = 0.07939.
  const auto result =
      WelchTest(Summarize(std::vector{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}),
                Summarize(std::vector{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}));
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->t_statistic, -1.8608, 5e-5);
  EXPECT_NEAR(result->degrees_of_freedom, 17.776, 5e-4);
  EXPECT_NEAR(result->p_value, 0.07939, 5e-6);
}

TEST(WelchTest, TakesTheDegreesOfTheOnlySideWithSpread) {
  // With one variance 0, Satterthwaite's formula leaves n - 1 of the other side.
  const auto result = WelchTest(Summarize(std::vector<double>{5, 5, 5}),
                                Summarize(std::vector<double>{6, 7, 8, 9}));
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->degrees_of_freedom, 3, 1e-12);
}

TEST(WelchTest, DoesNotExistWithoutSpreadOrForSingleValues) {
  const Moments constant = Summarize(std::vector<double>{5, 5, 5});
  EXPECT_FALSE(WelchTest(constant, Summarize(std::vector<double>{6, 6})).has_value());
  EXPECT_FALSE(WelchTest(constant, Summarize(std::vector<double>{6})).has_value());
  EXPECT_FALSE(WelchTest({}, constant).has_value());
}

TEST(WelchTest, DoesNotDependOnTheScale) {
  const std::vector<double> base{10, 12, 11, 13, 9};
  const std::vector<double> head{12, 14, 13, 15, 11.5};
  const auto plain = WelchTest(Summarize(base), Summarize(head));
  for (const double scale : {1e-250, 1e-3, 1e250}) {
    std::vector<double> scaled_base = base;
    std::vector<double> scaled_head = head;
    for (double& value : scaled_base) value *= scale;
    for (double& value : scaled_head) value *= scale;
    const auto scaled = WelchTest(Summarize(scaled_base), Summarize(scaled_head));
    ASSERT_TRUE(scaled.has_value());
    EXPECT_NEAR(scaled->p_value, plain->p_value, 1e-12);
    EXPECT_NEAR(scaled->degrees_of_freedom, plain->degrees_of_freedom, 1e-9);
  }
}

TEST(PooledTTest, MatchesPublishedExample) {
  // R 4: t.test(extra ~ group, data = sleep, var.equal = TRUE) prints t = -1.8608, df = 18,
  // p-value = 0.07919.
  const auto result =
      PooledTTest(Summarize(std::vector{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}),
                  Summarize(std::vector{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}));
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->t_statistic, -1.8608, 5e-5);
  EXPECT_NEAR(result->degrees_of_freedom, 18, 1e-12);
  EXPECT_NEAR(result->p_value, 0.07919, 5e-6);
}

TEST(CautiousTTest, IsWelchsForEqualCountsAndTheLessCertainElse) {
  const Moments five = Summarize(std::vector<double>{10, 12, 11, 13, 9});
  const Moments other_five = Summarize(std::vector<double>{14, 14.1, 14.2, 14.1, 14});
  const Moments close_three = Summarize(std::vector<double>{14, 14.1, 14.2});
  const Moments wide_three = Summarize(std::vector<double>{4, 14, 24});
  EXPECT_EQ(CautiousTTest(five, other_five)->p_value, WelchTest(five, other_five)->p_value);
  EXPECT_EQ(CautiousTTest(five, close_three)->p_value, PooledTTest(five, close_three)->p_value);
  EXPECT_EQ(CautiousTTest(five, wide_three)->p_value, WelchTest(five, wide_three)->p_value);
  EXPECT_FALSE(CautiousTTest(five, {}).has_value());
}

TEST(StudentTailTest, AgreesWithItsClosedForms) {
  // df 1 (Cauchy): P(|T| > t) = 1 - 2 atan(t) / pi; df 2: 1 - t / sqrt(2 + t^2), which cancels for
  // large t and is then 1 / t^2 to first order.
  for (const double t : {1e-9, 1e-3, 0.5, 1.0, 2.0, 17.0}) {
    EXPECT_NEAR(TwoSidedStudentTail(t, 1), 1 - 2 * std::atan(t) / std::numbers::pi, 1e-13);
    EXPECT_NEAR(TwoSidedStudentTail(-t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13);
  }
  EXPECT_NEAR(TwoSidedStudentTail(1e6, 2) * 1e12, 1, 1e-9);
}

TEST(StudentTailTest, AgreesWithATable) {
  // Abramowitz and Stegun, table 26.10: t with two-sided 0.05 and 0.001.
  EXPECT_NEAR(TwoSidedStudentTail(2.228, 10), 0.05, 2e-5);
  EXPECT_NEAR(TwoSidedStudentTail(4.587, 10), 0.001, 1e-6);
  EXPECT_NEAR(TwoSidedStudentTail(1.960, 1e9), 0.05, 1e-5);
}

TEST(StudentTailTest, StaysAProbabilityAtTheEnds) {
  EXPECT_EQ(TwoSidedStudentTail(0, 4), 1);
  EXPECT_EQ(TwoSidedStudentTail(1e200, 4), 0);
  EXPECT_EQ(TwoSidedStudentTail(INFINITY, 4), 0);
  for (const double df : {1.0, 1.5, 8.0, 1e6}) {
    double last = 1;
    for (double t = 0.01; t < 1e8; t *= 1.7) {
      const double p = TwoSidedStudentTail(t, df);
      ASSERT_GE(p, 0);
      ASSERT_LE(p, last) << t << " " << df;
      last = p;
    }
  }
}

}  // namespace
}  // namespace regressd::analysis
