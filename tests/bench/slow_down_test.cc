#include "tests/bench/slow_down.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regressd::bench {
namespace {

// Permeability constants of the human chorioamnion at term and at 12 to 26 weeks: M. Hollander and
// D. A. Wolfe, Nonparametric Statistical Methods (1973), page 69, as powers of e since rates are
// compared by their logarithms.
std::vector<double> Powers(std::vector<double> exponents) {
  for (double& exponent : exponents) exponent = std::exp(exponent);
  return exponents;
}
const std::vector<double> kAtTerm =
    Powers({0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46});
const std::vector<double> kEarly = Powers({1.15, 0.88, 0.90, 0.74, 1.21});

double Loss(double shift) { return 100 * (1 - std::exp(shift)); }

TEST(SlowDownTest, HasTheEstimateAndTheIntervalOfTheRankTest) {
  // R 4: wilcox.test(at_term, early, conf.int = TRUE): p-value 0.2544, difference in location
  // 0.305, 95 percent confidence interval -0.15 to 0.76. So early is at_term less 0.305.
  const SlowDown slow_down = CompareRates(kAtTerm, kEarly);
  EXPECT_NEAR(slow_down.p_value, 0.2544, 5e-5);
  EXPECT_NEAR(slow_down.percent, Loss(-0.305), 1e-9);
  ASSERT_TRUE(slow_down.low_percent && slow_down.high_percent);
  EXPECT_NEAR(*slow_down.low_percent, Loss(0.15), 1e-9);
  EXPECT_NEAR(*slow_down.high_percent, Loss(-0.76), 1e-9);
  EXPECT_FALSE(slow_down.Distinguishable());
}

TEST(SlowDownTest, ALossIsAboveZeroAndAGainBelow) {
  const std::vector<double> fast{100, 101, 102, 103, 104};
  const std::vector<double> slow{90, 91, 92, 93, 94};
  // Five against five without overlap: 2 of C(10, 5) = 252 orders are as far apart.
  EXPECT_NEAR(CompareRates(fast, slow).p_value, 2.0 / 252, 1e-12);
  EXPECT_TRUE(CompareRates(fast, slow).Distinguishable());
  EXPECT_GT(*CompareRates(fast, slow).low_percent, 0);
  EXPECT_TRUE(CompareRates(slow, fast).Distinguishable());
  EXPECT_LT(*CompareRates(slow, fast).high_percent, 0);
}

TEST(SlowDownTest, TheIntervalLeavesOutZeroExactlyWhenTheTestRejects) {
  // Moved by steps past the point where the test begins to reject.
  std::vector<double> without;
  for (int i = 0; i < 30; ++i) without.push_back(1000 + 7.3 * i + (i % 3));
  bool rejected = false;
  bool kept = false;
  for (int step = 0; step < 60; ++step) {
    std::vector<double> with;
    for (const double rate : without) with.push_back(rate * (1 - 0.00211 * step) + 0.013);
    const SlowDown slow_down = CompareRates(without, with);
    EXPECT_EQ(slow_down.Distinguishable(), slow_down.p_value <= 0.05) << step;
    (slow_down.Distinguishable() ? rejected : kept) = true;
  }
  EXPECT_TRUE(rejected);
  EXPECT_TRUE(kept);
}

TEST(SlowDownTest, ThreeRunsASideProveNothing) {
  // The most extreme of C(6, 3) = 20 orders has p = 2/20.
  const SlowDown slow_down = CompareRates(std::vector{9., 10., 11.}, std::vector{1., 2., 3.});
  EXPECT_FALSE(slow_down.low_percent.has_value());
  EXPECT_FALSE(slow_down.Distinguishable());
}

}  // namespace
}  // namespace regressd::bench
