#include "services/analysis/benjamini_hochberg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace regressd::analysis {
namespace {

TEST(BenjaminiHochbergTest, RejectsWhatThePaperRejects) {
  // Benjamini and Hochberg (1995), section 4.1: 15 p-values; controlling at 0.05 rejects the four
  // smallest, where Bonferroni rejects three.
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<double> q = BenjaminiHochberg(p);
  EXPECT_EQ(std::count_if(q.begin(), q.end(), [](double value) { return value <= 0.05; }), 4);
  EXPECT_NEAR(q[3], 0.0095 * 15 / 4, 1e-15);
}

TEST(BenjaminiHochbergTest, StepsUpThroughSmallerRanks) {
  // By hand, m = 4: 0.04 * 4/4 = 0.04 is less than 0.03 * 4/2 and 0.035 * 4/3.
  const std::vector<double> q = BenjaminiHochberg(std::vector{0.03, 0.001, 0.04, 0.035});
  EXPECT_NEAR(q[0], 0.04, 1e-15);
  EXPECT_NEAR(q[1], 0.004, 1e-15);
  EXPECT_NEAR(q[2], 0.04, 1e-15);
  EXPECT_NEAR(q[3], 0.04, 1e-15);
}

TEST(BenjaminiHochbergTest, TakesAnyNumberOfValues) {
  EXPECT_TRUE(BenjaminiHochberg({}).empty());
  EXPECT_EQ(BenjaminiHochberg(std::vector{0.2}), std::vector{0.2});
  EXPECT_EQ(BenjaminiHochberg(std::vector{1.0, 1.0}), (std::vector{1.0, 1.0}));
}

}  // namespace
}  // namespace regressd::analysis
