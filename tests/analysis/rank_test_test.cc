#include "services/analysis/rank_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace regressd::analysis {
namespace {

// The definition, slowly: the share of all assignments whose head's rank sum is at least as far
// from its expectation.
double EnumeratedPValue(const std::vector<double>& base, const std::vector<double>& head) {
  std::vector<double> all = base;
  all.insert(all.end(), head.begin(), head.end());
  const auto rank = [&](double value) {
    double below = 0;
    double equal = 0;
    for (const double other : all) {
      below += other < value;
      equal += other == value;
    }
    return below + (equal + 1) / 2;
  };
  const double centre = static_cast<double>(head.size()) * static_cast<double>(all.size() + 1) / 2;
  double observed = -centre;
  for (const double value : head) observed += rank(value);
  std::vector<int> in_head(all.size(), 0);
  std::fill(in_head.end() - static_cast<std::ptrdiff_t>(head.size()), in_head.end(), 1);
  double count = 0;
  double far = 0;
  do {
    double sum = -centre;
    for (std::size_t i = 0; i < all.size(); ++i) sum += in_head[i] ? rank(all[i]) : 0;
    count += 1;
    far += std::abs(sum) >= std::abs(observed) - 1e-9;
  } while (std::next_permutation(in_head.begin(), in_head.end()));
  return far / count;
}

TEST(RankTestTest, AgreesWithEnumerationWithAndWithoutTies) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 150; ++round) {
    const std::size_t base_count = 1 + random() % 5;
    const std::size_t head_count = 1 + random() % 6;
    const std::uint64_t values = round % 3 == 0 ? 3 : round % 3 == 1 ? 8 : 1'000'000;
    std::vector<double> base(base_count);
    std::vector<double> head(head_count);
    for (double& value : base) value = static_cast<double>(random() % values);
    for (double& value : head) value = static_cast<double>(random() % values);
    EXPECT_NEAR(MannWhitneyPValue({base, head}), EnumeratedPValue(base, head), 1e-12);
  }
}

TEST(RankTestTest, AgreesWithThePublishedTables) {
  // Mann and Whitney (1947), table I: P(U <= 5) for 5 and 5 values is 0.075, P(U <= 2) for 4 and 4
  // is 0.057, P(U <= 1) for 3 and 3 is 0.100; two-sided is twice that.
  const std::vector<double> five{1, 2, 4, 6, 7};
  const std::vector<double> other_five{3, 5, 8, 9, 10};  // U = 2 + 3 = 5 pairs the wrong way.
  EXPECT_NEAR(MannWhitneyPValue({five, other_five}), 2 * 0.075, 1.1e-3);
  EXPECT_NEAR(MannWhitneyPValue({std::vector<double>{1, 2, 3, 6}, std::vector<double>{4, 5, 7, 8}}),
              2 * 0.057, 1.1e-3);
  EXPECT_NEAR(MannWhitneyPValue({std::vector<double>{1, 2, 4}, std::vector<double>{3, 5, 6}}),
              2 * 0.1, 1e-12);
}

TEST(RankTestTest, ReachesTheSmallestPWhenRangesDoNotOverlap) {
  for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{
           {3, 3}, {5, 5}, {3, 30}, {30, 3}, {30, 30}, {1, 9}, {1, 900}}) {
    std::vector<double> base(m);
    std::vector<double> head(n);
    for (std::size_t i = 0; i < m; ++i) base[i] = static_cast<double>(i);
    for (std::size_t i = 0; i < n; ++i) head[i] = 1e6 + static_cast<double>(i);
    const double smallest = SmallestRankPValue(m, n);
    EXPECT_NEAR(MannWhitneyPValue({base, head}) / smallest, 1, 1e-9) << m << " " << n;
    EXPECT_NEAR(MannWhitneyPValue({head, base}) / smallest, 1, 1e-9) << m << " " << n;
  }
}

TEST(RankTestTest, KnowsTheNumberOfArrangements) {
  EXPECT_DOUBLE_EQ(SmallestRankPValue(5, 5), 2.0 / 252);
  EXPECT_DOUBLE_EQ(SmallestRankPValue(3, 3), 0.1);
  EXPECT_DOUBLE_EQ(SmallestRankPValue(1, 1), 1);
  EXPECT_DOUBLE_EQ(SmallestRankPValue(0, 5), 1);
  EXPECT_NEAR(SmallestRankPValue(30, 30) * 118264581564861424.0, 2, 1e-9);
}

TEST(RankTestTest, GoesOverToTheNormalWithoutAJump) {
  // Just inside and just outside the exact range the same picture must give about the same p.
  std::mt19937_64 random(11);
  const auto draw = [&](std::size_t count, double shift) {
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<double>(random() % 100'000) + shift;
    return values;
  };
  std::vector<double> base = draw(30, 0);
  std::vector<double> head = draw(30, 25'000);
  const double exact = MannWhitneyPValue({base, head});
  // A 31st value right in the middle of the others hardly says anything.
  std::vector<double> sorted = base;
  std::sort(sorted.begin(), sorted.end());
  base.push_back((sorted[14] + sorted[15]) / 2 + 0.5);
  const double approximate = MannWhitneyPValue({base, head});
  EXPECT_LT(std::abs(std::log(exact / approximate)), 0.35);
}

TEST(RankTestTest, CorrectsTheNormalForTies) {
  // 40 values of which 20 are 0 on each side and the others 1 or 2. By hand: N = 80, ties 40, 20,
  // 20: sum of t^3 - t = 63960 + 2 * 7980 = 79920; variance = 1600/12 * (81 - 79920/(80*79)) =
  // 9113.9; head's rank sum 20*20.5 + 20*70.5 = 1820, expected 1620; z = 199.5/95.467 = 2.0897,
  // p = 0.0366.
  std::vector<double> base(40, 0.0);
  std::vector<double> head(40, 0.0);
  std::fill(base.begin() + 20, base.end(), 1.0);
  std::fill(head.begin() + 20, head.end(), 2.0);
  EXPECT_NEAR(MannWhitneyPValue({base, head}), 0.0366, 1e-4);
}

TEST(RankTestTest, SaysNothingOfEmptyOrEqualSides) {
  const std::vector<double> some{1, 2, 3};
  EXPECT_EQ(MannWhitneyPValue({{}, some}), 1);
  EXPECT_EQ(MannWhitneyPValue({some, {}}), 1);
  EXPECT_EQ(MannWhitneyPValue({some, some}), 1);
  const std::vector<double> ones(50, 1.0);
  EXPECT_EQ(MannWhitneyPValue({ones, ones}), 1);
  EXPECT_EQ(HodgesLehmannShift({{}, some}), 0);
  EXPECT_EQ(CliffsDelta({some, {}}), 0);
}

TEST(HodgesLehmannTest, TakesTheMedianOfAllDifferences) {
  // By hand: differences of {1, 3} and {2, 10} are 1, 9, -1, 7; their median is 4.
  EXPECT_DOUBLE_EQ(HodgesLehmannShift({std::vector<double>{1, 3}, std::vector<double>{2, 10}}), 4);
  // Odd: {5, 6, 100} - 1 has the median 5; the difference of means is 36.
  EXPECT_DOUBLE_EQ(HodgesLehmannShift({std::vector<double>{1}, std::vector<double>{5, 6, 100}}), 5);
}

TEST(CliffsDeltaTest, CountsPairs) {
  // By hand: of 4 pairs 3 are larger, 1 is smaller; ties count for neither.
  EXPECT_DOUBLE_EQ(CliffsDelta({std::vector<double>{1, 3}, std::vector<double>{2, 10}}), 0.5);
  EXPECT_DOUBLE_EQ(CliffsDelta({std::vector<double>{1, 1}, std::vector<double>{1, 0}}), -0.5);
}

}  // namespace
}  // namespace regressd::analysis
