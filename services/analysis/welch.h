#pragma once

#include <optional>

#include "services/analysis/summary.h"

namespace regressd::analysis {

/// Outcome of a t-test.
struct TTestResult {
  double t_statistic = 0;  ///< Above 0 when the head's mean is the larger one.
  double degrees_of_freedom = 0;
  double p_value = 1;  ///< Two-sided.
};

/// Welch's test that two means are equal, without assuming equal variances: B. L. Welch, "The
/// generalization of Student's problem when several different population variances are involved",
/// Biometrika 34 (1947); degrees of freedom after F. E. Satterthwaite, Biometrics Bulletin 2
/// (1946). R: t.test(head, base). Means something from two values a side on, for values that are
/// not far from normal; with heavy tails it is conservative. nullopt with fewer than two values on
/// a side, or when neither side has any spread.
std::optional<TTestResult> WelchTest(const Moments& base, const Moments& head);

/// Student's test with the variance pooled over both sides ("Student", Biometrika 6, 1908; R 4:
/// t.test(head, base, var.equal = TRUE)). nullopt as above.
std::optional<TTestResult> PooledTTest(const Moments& base, const Moments& head);

/// The less certain of both. With as many values on each side that is always Welch's. With three
/// values against many it is not: the three lie close together by chance often enough that Welch's
/// p of 0.0001 comes up seven times too often for 3 against 10 and sixty times for 3 against 30.
std::optional<TTestResult> CautiousTTest(const Moments& base, const Moments& head);

/// Probability that |T| of Student's distribution with `degrees_of_freedom` (any above 0) is at
/// least |t|: the regularised incomplete beta function, Abramowitz and Stegun 26.7.1.
double TwoSidedStudentTail(double t, double degrees_of_freedom);

}  // namespace regressd::analysis
