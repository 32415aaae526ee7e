#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "services/analysis/judge.h"
#include "tests/analysis/noise.h"

// Laws that hold whatever the numbers are, tried on seeded random ones.
namespace regressd::analysis {
namespace {

using model::Judgement;
using model::Verdict;

struct Case {
  MetricTraits traits;
  std::vector<double> base;
  std::vector<double> head;
};

// Metrics of all kinds: counts, levels around 0, huge and tiny ones, with and without a shift.
Case RandomCase(Noise& noise) {
  Case drawn;
  drawn.traits.headline = noise.Bits() % 4 == 0;
  drawn.traits.catalogued = noise.Bits() % 3 != 0;
  drawn.traits.better = static_cast<model::Better>(noise.Bits() % 3);
  const double level =
      noise.Bits() % 3 == 0 ? 0 : std::pow(10.0, static_cast<double>(noise.Bits() % 13));
  const double spread = noise.Bits() % 5 == 0 ? 0 : std::max(1.0, level * 0.01);
  const double shift = static_cast<double>(noise.Bits() % 3) * 3 * std::max(1.0, level * 0.01);
  const bool is_count = noise.Bits() % 3 == 0;
  drawn.traits.quantum = is_count ? 1 : 0;
  const auto draw = [&](double centre) {
    const double value = centre + spread * noise.Normal();
    return is_count ? std::round(value) : value;
  };
  for (std::size_t i = noise.Bits() % 8; i > 0; --i) drawn.base.push_back(draw(level));
  for (std::size_t i = noise.Bits() % 8; i > 0; --i) drawn.head.push_back(draw(level + shift));
  return drawn;
}

std::vector<Case> RandomCases(std::uint64_t seed, int count) {
  Noise noise(seed);
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) cases.push_back(RandomCase(noise));
  return cases;
}

std::vector<Judgement> JudgeCases(const std::vector<Case>& cases) {
  std::vector<MetricRepeats> metrics;
  for (const Case& one : cases) {
    metrics.push_back({.traits = one.traits, .base = one.base, .head = one.head});
  }
  return Judge(metrics);
}

void ExpectSame(const Judgement& a, const Judgement& b) {
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.q_value, b.q_value);
  EXPECT_EQ(a.rank_p_value, b.rank_p_value);
  EXPECT_EQ(a.shift, b.shift);
  EXPECT_EQ(a.base.mean, b.base.mean);
  EXPECT_EQ(a.head.sample_stddev, b.head.sample_stddev);
}

template <typename Values>
void Shuffle(Noise& noise, Values& values) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[noise.Bits() % i]);
}

TEST(JudgeLawsTest, EqualSidesNeverChange) {
  auto cases = RandomCases(1, 400);
  for (Case& one : cases) one.head = one.base;
  for (const Judgement& judgement : JudgeCases(cases)) {
    EXPECT_TRUE(judgement.verdict == Verdict::kUnchanged ||
                judgement.verdict == Verdict::kInconclusive)
        << judgement.reason;
    if (judgement.base.run_count >= 3) {
      EXPECT_EQ(judgement.verdict, Verdict::kUnchanged);
    }
  }
}

TEST(JudgeLawsTest, TheOrderOfRunsDoesNotMatter) {
  const auto cases = RandomCases(2, 300);
  auto shuffled = cases;
  Noise noise(22);
  for (Case& one : shuffled) {
    Shuffle(noise, one.base);
    Shuffle(noise, one.head);
  }
  const auto before = JudgeCases(cases);
  const auto after = JudgeCases(shuffled);
  for (std::size_t i = 0; i < cases.size(); ++i) ExpectSame(before[i], after[i]);
}

TEST(JudgeLawsTest, TheOrderOfMetricsDoesNotMatter) {
  const auto cases = RandomCases(3, 300);
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Noise noise(33);
  Shuffle(noise, order);
  std::vector<Case> shuffled;
  for (const std::size_t i : order) shuffled.push_back(cases[i]);
  const auto before = JudgeCases(cases);
  const auto after = JudgeCases(shuffled);
  for (std::size_t k = 0; k < order.size(); ++k) ExpectSame(before[order[k]], after[k]);
}

TEST(JudgeLawsTest, ACommonScaleDoesNotMatter) {
  const auto cases = RandomCases(4, 300);
  for (const double scale : {0x1p-40, 0x1p60, 1000.0}) {
    auto scaled = cases;
    for (Case& one : scaled) {
      for (double& value : one.base) value *= scale;
      for (double& value : one.head) value *= scale;
      one.traits.quantum *= scale;
    }
    const auto before = JudgeCases(cases);
    const auto after = JudgeCases(scaled);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(before[i].verdict, after[i].verdict) << scale;
      EXPECT_EQ(before[i].reason, after[i].reason) << scale;
    }
  }
}

TEST(JudgeLawsTest, SwappingTheSidesMirrorsTheChange) {
  const auto cases = RandomCases(5, 300);
  auto swapped = cases;
  for (Case& one : swapped) std::swap(one.base, one.head);
  const auto there = JudgeCases(cases);
  const auto back = JudgeCases(swapped);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(there[i].p_value, back[i].p_value);
    EXPECT_EQ(there[i].absolute_change, -back[i].absolute_change);
    EXPECT_FALSE(there[i].verdict == Verdict::kRegression &&
                 back[i].verdict == Verdict::kRegression);
  }
}

TEST(JudgeLawsTest, RubbishInOneMetricBreaksNoOther) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kMax = std::numeric_limits<double>::max();
  const auto cases = RandomCases(6, 100);
  auto mixed = cases;
  const MetricTraits traits{.headline = true};
  const std::vector<double> plain{1, 2, 3, 4, 5};
  for (const std::vector<double>& rubbish :
       std::vector<std::vector<double>>{{},
                                        {kNan},
                                        {kNan, kNan, kNan, kNan},
                                        {kInf, kInf, -kInf, kInf},
                                        {kMax, -kMax, kMax, -kMax},
                                        {7}}) {
    mixed.push_back({traits, rubbish, plain});
    mixed.push_back({traits, plain, rubbish});
    mixed.push_back({traits, rubbish, rubbish});
  }
  const auto alone = JudgeCases(cases);
  const auto together = JudgeCases(mixed);
  for (std::size_t i = 0; i < cases.size(); ++i) ExpectSame(alone[i], together[i]);
  for (std::size_t i = cases.size(); i < mixed.size(); ++i) {
    EXPECT_EQ(together[i].verdict, Verdict::kInconclusive) << together[i].reason;
  }
}

TEST(JudgeLawsTest, EveryNumberIsANumber) {
  auto cases = RandomCases(7, 500);
  const double extremes[] = {0.0, -0.0, 5e-324, 1e-300, 1e300, -1e300, 1e12, 1};
  Noise noise(77);
  for (int i = 0; i < 500; ++i) {
    Case one;
    for (int run = 0; run < 5; ++run) {
      one.base.push_back(extremes[noise.Bits() % 8]);
      one.head.push_back(extremes[noise.Bits() % 8]);
    }
    cases.push_back(one);
  }
  for (const Judgement& judgement : JudgeCases(cases)) {
    EXPECT_FALSE(judgement.reason.empty());
    for (const double number :
         {judgement.base.mean, judgement.base.sample_stddev, judgement.head.mean,
          judgement.head.sample_stddev, judgement.absolute_change}) {
      EXPECT_TRUE(std::isfinite(number));
    }
    for (const auto& number :
         {judgement.relative_change, judgement.t_statistic, judgement.degrees_of_freedom,
          judgement.p_value, judgement.q_value, judgement.rank_p_value, judgement.shift}) {
      EXPECT_TRUE(std::isfinite(number.value_or(0))) << judgement.reason;
    }
    for (const auto& p : {judgement.p_value, judgement.q_value, judgement.rank_p_value}) {
      EXPECT_GE(p.value_or(0), 0);
      EXPECT_LE(p.value_or(0), 1);
    }
  }
}

TEST(JudgeLawsTest, AnOffsetOfATrillionHidesNoSpread) {
  // The same noise on 1e12: t and p are those of the noise alone, to what doubles can hold.
  Noise noise(8);
  std::vector<double> base;
  std::vector<double> head;
  for (int i = 0; i < 6; ++i) {
    base.push_back(std::round(1000 * noise.Normal()));
    head.push_back(std::round(1000 * noise.Normal() + 4000));
  }
  Case plain{{.min_relative_change = 0}, base, head};
  Case shifted = plain;
  for (double& value : shifted.base) value += 1e12;
  for (double& value : shifted.head) value += 1e12;
  const auto judgements = JudgeCases({plain});
  const auto far = JudgeCases({shifted});
  EXPECT_NEAR(*judgements[0].t_statistic, *far[0].t_statistic, 1e-6);
  EXPECT_NEAR(*judgements[0].p_value, *far[0].p_value, 1e-9);
  EXPECT_EQ(judgements[0].verdict, far[0].verdict);
}

}  // namespace
}  // namespace regressd::analysis
