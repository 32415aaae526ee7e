#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "services/analysis/benjamini_hochberg.h"
#include "services/analysis/permutation.h"
#include "services/analysis/rank_test.h"
#include "services/analysis/summary.h"
#include "services/analysis/welch.h"
#include "tests/support/shared_data.h"

// Expected numbers: golden/detection/pairwise_cases.json, made with scipy 1.10.1 (Welch) and by
// full enumeration (ranks, permutations). Tolerances are those of its README: 1e-9 relative, p of
// Welch 1e-6.
namespace regressd::analysis {
namespace {

void ExpectRelative(double actual, const nlohmann::json& expected, double tolerance,
                    const std::string& what) {
  EXPECT_NEAR(actual, expected.get<double>(), tolerance * std::abs(expected.get<double>())) << what;
}

TEST(PairwiseGoldenTest, AgreesWithScipyAndEnumeration) {
  const auto golden = support::SharedDir("golden");
  if (!golden) GTEST_SKIP() << support::NoSharedData("golden");
  const auto file = support::ReadJson(*golden / "detection" / "pairwise_cases.json");
  ASSERT_GE(file["pairwise"].size(), 18U);
  for (const auto& pair : file["pairwise"]) {
    const auto name = pair["name"].get<std::string>();
    const auto base = pair["base"].get<std::vector<double>>();
    const auto head = pair["head"].get<std::vector<double>>();
    const RankedSides sides{.base = base, .head = head};
    const auto welch = WelchTest(Summarize(base), Summarize(head));
    ASSERT_EQ(welch.has_value(), !pair["welch_t"].is_null()) << name;
    if (welch) {
      ExpectRelative(welch->t_statistic, pair["welch_t"], 1e-9, name);
      ExpectRelative(welch->degrees_of_freedom, pair["welch_df"], 1e-9, name);
      ExpectRelative(welch->p_value, pair["welch_p"], 1e-6, name);
    }
    ExpectRelative(MannWhitneyPValue(sides), pair["mwu_exact_p"], 1e-9, name);
    ExpectRelative(*MeanDifferencePermutationPValue(sides), pair["perm_mean_diff_p"], 1e-9, name);
    ExpectRelative(SmallestRankPValue(base.size(), head.size()), pair["p_min"], 1e-9, name);
    ExpectRelative(CliffsDelta(sides), pair["cliffs_delta"], 1e-9, name);
    ExpectRelative(HodgesLehmannShift(sides), pair["hodges_lehmann"], 1e-9, name);
  }
}

TEST(PairwiseGoldenTest, AdjustsTheGoldenPValues) {
  const auto golden = support::SharedDir("golden");
  if (!golden) GTEST_SKIP() << support::NoSharedData("golden");
  const auto file = support::ReadJson(*golden / "detection" / "pairwise_cases.json");
  const auto p = file["benjamini_hochberg"]["p"].get<std::vector<double>>();
  const auto expected = file["benjamini_hochberg"]["q"].get<std::vector<double>>();
  const std::vector<double> q = BenjaminiHochberg(p);
  ASSERT_EQ(q.size(), expected.size());
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], expected[i], 1e-9 * expected[i]);
}

}  // namespace
}  // namespace regressd::analysis
