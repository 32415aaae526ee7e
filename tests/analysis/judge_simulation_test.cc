#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "services/analysis/judge.h"
#include "tests/analysis/noise.h"

// Whole comparisons of simulated metrics. The bounds are what the procedure promises, not what it
// happened to give: with all metrics unchanged, Benjamini-Hochberg at 0.05 lets at most one
// comparison in twenty hold any false verdict.
namespace regressd::analysis {
namespace {

struct Side {
  std::vector<double> base;
  std::vector<double> head;
};

struct Outcome {
  int false_verdicts = 0;
  int true_verdicts = 0;
};

bool IsChange(const model::Judgement& judgement) {
  switch (judgement.verdict) {
    case model::Verdict::kRegression:
    case model::Verdict::kImprovement:
    case model::Verdict::kChanged:
    case model::Verdict::kMixed:
      return true;
    default:
      return false;
  }
}

// The first `changed_count` sides are those with a real change.
Outcome Count(const std::vector<Side>& sides, const MetricTraits& traits,
              std::size_t changed_count) {
  std::vector<MetricRepeats> metrics;
  for (const Side& side : sides) {
    metrics.push_back({.traits = traits, .base = side.base, .head = side.head});
  }
  const auto judgements = Judge(metrics);
  Outcome outcome;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (!IsChange(judgements[i])) continue;
    ++(i < changed_count ? outcome.true_verdicts : outcome.false_verdicts);
  }
  return outcome;
}

// Level 100, spread 3 %, so that the least effect of 2 % alone stops few false verdicts.
Side Draw(Noise& noise, Noise::Kind kind, std::size_t run_count, double shift_in_sigmas) {
  Side side;
  for (std::size_t i = 0; i < run_count; ++i) {
    side.base.push_back(100 + 3 * noise.Draw(kind));
    side.head.push_back(100 + 3 * (noise.Draw(kind) + shift_in_sigmas));
  }
  return side;
}

constexpr MetricTraits kTraits{.better = model::Better::kHigher};

TEST(JudgeSimulationTest, FindsNothingInUnchangedMetrics) {
  // 20 comparisons of 2000 metrics, 5 runs a side. P(Bin(20, 0.05) > 4) = 0.003.
  using Kind = Noise::Kind;
  const Kind kinds[] = {Kind::kNormal, Kind::kHeavyTails, Kind::kSkewed, Kind::kOutliers};
  int comparisons_with_false_verdicts = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Noise noise(seed);
    std::vector<Side> sides;
    for (int i = 0; i < 2000; ++i) sides.push_back(Draw(noise, kinds[i % 4], 5, 0));
    comparisons_with_false_verdicts += Count(sides, kTraits, 0).false_verdicts > 0;
  }
  EXPECT_LE(comparisons_with_false_verdicts, 4);
}

TEST(JudgeSimulationTest, FindsNothingInUnchangedCounts) {
  // Counts of a few events, where many runs agree: without a floor of the variance each such pair
  // of sides would look certain.
  int comparisons_with_false_verdicts = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Noise noise(1000 + seed);
    std::vector<Side> sides;
    for (int i = 0; i < 2000; ++i) {
      const double lambda = std::pow(10, 2 * noise.Uniform() - 1);  // 0.1 to 10.
      Side side;
      for (int run = 0; run < 5; ++run) {
        side.base.push_back(noise.Poisson(lambda));
        side.head.push_back(noise.Poisson(lambda));
      }
      sides.push_back(side);
    }
    MetricTraits traits = kTraits;
    traits.quantum = 1;
    comparisons_with_false_verdicts += Count(sides, traits, 0).false_verdicts > 0;
  }
  EXPECT_LE(comparisons_with_false_verdicts, 4);
}

TEST(JudgeSimulationTest, KeepsFalseDiscoveriesFewAmongRealOnes) {
  // detection.md (c): 5 % changed, five kinds of noise. Required of the full rule: share of false
  // discoveries at most 0.08; this rule has to keep it, too, at 5 and at 10 runs a side.
  for (const std::size_t run_count : {std::size_t{5}, std::size_t{10}}) {
    Outcome sum;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Noise noise(2000 + seed);
      std::vector<Side> sides;
      for (int i = 0; i < 2000; ++i) {
        sides.push_back(
            Draw(noise, Noise::Kind{i % Noise::kKindCount}, run_count, i < 100 ? 6 : 0));
      }
      const Outcome outcome = Count(sides, kTraits, 100);
      sum.false_verdicts += outcome.false_verdicts;
      sum.true_verdicts += outcome.true_verdicts;
    }
    RecordProperty("true_verdicts_" + std::to_string(run_count), sum.true_verdicts);
    RecordProperty("false_verdicts_" + std::to_string(run_count), sum.false_verdicts);
    EXPECT_LE(sum.false_verdicts, 0.08 * (sum.true_verdicts + sum.false_verdicts)) << run_count;
    EXPECT_GE(sum.true_verdicts, 0.9 * 500) << run_count;
  }
}

TEST(JudgeSimulationTest, FindsAHeadlineThatMovedBySixSigma) {
  // One headline among noise, as in a real comparison; it is a family of its own.
  for (const auto& [run_count, least] : {std::pair<std::size_t, int>{3, 95}, {5, 99}}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Noise noise(3000 + seed);
      found += Count({Draw(noise, Noise::Kind::kNormal, run_count, -6)},
                     {.better = model::Better::kHigher, .headline = true}, 1)
                   .true_verdicts;
    }
    EXPECT_GE(found, least) << run_count;
  }
}

TEST(JudgeSimulationTest, FlagsAnUnchangedHeadlineAtMostOnceInTwentyComparisons) {
  // Every run count from 3 up, unequal ones too. P(Bin(2000, 0.05) > 134) = 0.0003.
  for (const auto& [base_count, head_count] :
       {std::pair<int, int>{3, 3}, {3, 5}, {3, 10}, {4, 4}, {5, 5}, {10, 3}, {10, 10}}) {
    int flagged = 0;
    Noise noise(4000);
    for (int round = 0; round < 2000; ++round) {
      Side side;
      for (int i = 0; i < base_count; ++i) side.base.push_back(100 + 3 * noise.Normal());
      for (int i = 0; i < head_count; ++i) side.head.push_back(100 + 3 * noise.Normal());
      flagged += Count({side}, {.headline = true, .min_relative_change = 0}, 0).false_verdicts;
    }
    EXPECT_LE(flagged, 134) << base_count << " against " << head_count;
  }
}

TEST(JudgeSimulationTest, KeepsFalseDiscoveriesFewWithUnequalRunCounts) {
  // Three new runs against a long-known base. With Welch's test alone all 20 comparisons hold false
  // verdicts, 146 in all.
  int comparisons_with_false_verdicts = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Noise noise(5000 + seed);
    std::vector<Side> sides;
    for (int i = 0; i < 1000; ++i) {
      Side side = Draw(noise, Noise::Kind::kNormal, 30, 0);
      side.head.resize(3);
      sides.push_back(side);
    }
    comparisons_with_false_verdicts += Count(sides, kTraits, 0).false_verdicts > 0;
  }
  EXPECT_LE(comparisons_with_false_verdicts, 4);
}

}  // namespace
}  // namespace regressd::analysis
