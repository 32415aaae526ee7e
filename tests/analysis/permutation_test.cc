#include "services/analysis/permutation.h"

#include <gtest/gtest.h>

#include <vector>

namespace regressd::analysis {
namespace {

TEST(PermutationTest, CountsAssignmentsAtLeastAsFar) {
  // By hand: of the 6 ways to split {1, 2, 4, 8} in two, {1,2|4,8} has the largest difference of
  // means (4.5), and so has its mirror image: 2/6. {1,4|2,8} has 2.5, {1,8|2,4} has 1.5.
  EXPECT_NEAR(
      *MeanDifferencePermutationPValue({std::vector<double>{1, 2}, std::vector<double>{4, 8}}),
      2.0 / 6, 1e-15);
  EXPECT_NEAR(
      *MeanDifferencePermutationPValue({std::vector<double>{1, 4}, std::vector<double>{2, 8}}),
      4.0 / 6, 1e-15);
  EXPECT_NEAR(
      *MeanDifferencePermutationPValue({std::vector<double>{1, 8}, std::vector<double>{2, 4}}), 1,
      1e-15);
}

TEST(PermutationTest, CountsEqualSumsAsEquallyFarDespiteRounding) {
  // 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in the last place. Doubling is exact.
  const std::vector<double> base{0.1, 0.2, 0.3, 0.1};
  const std::vector<double> head{0.3, 0.2, 0.1, 0.3};
  const std::vector<double> whole_base{1, 2, 3, 1};
  const std::vector<double> whole_head{3, 2, 1, 3};
  EXPECT_EQ(*MeanDifferencePermutationPValue({base, head}),
            *MeanDifferencePermutationPValue({whole_base, whole_head}));
}

TEST(PermutationTest, RefusesWhatIsTooMuchToEnumerate) {
  // C(20, 10) = 184 756, C(22, 11) = 705 432.
  EXPECT_TRUE(
      MeanDifferencePermutationPValue({std::vector<double>(10, 1.0), std::vector<double>(10, 2.0)})
          .has_value());
  EXPECT_FALSE(
      MeanDifferencePermutationPValue({std::vector<double>(11, 1.0), std::vector<double>(11, 2.0)})
          .has_value());
  EXPECT_FALSE(MeanDifferencePermutationPValue({{}, std::vector<double>{1}}).has_value());
}

}  // namespace
}  // namespace regressd::analysis
