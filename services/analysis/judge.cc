#include "services/analysis/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "services/analysis/benjamini_hochberg.h"
#include "services/analysis/measure.h"
#include "services/analysis/rank_test.h"

namespace regressd::analysis {
namespace {

using model::Judgement;
using model::Verdict;

constexpr double kMaxRankPValue = 0.05;
// From five runs a side on, ranks alone can say that two constants differ: 2 / C(10, 5) = 0.008.
constexpr std::size_t kMinRunsWithoutSpread = 5;

enum Family : std::size_t { kHeadline, kCatalogued, kUncatalogued, kFamilyCount };

Family FamilyOf(const MetricTraits& traits) {
  if (traits.headline) return kHeadline;
  return traits.catalogued ? kCatalogued : kUncatalogued;
}

double MaxQValue(Family family, const JudgeOptions& options) {
  return family == kUncatalogued ? options.max_q_value_uncatalogued : options.max_q_value;
}

model::Summary ToSummary(const Moments& moments) {
  return {.run_count = static_cast<std::int32_t>(moments.count),
          .mean = moments.mean,
          .sample_stddev = moments.sample_stddev};
}

Judgement NumbersOf(const Measurement& measured, const MetricTraits& traits) {
  Judgement judgement;
  judgement.rule = "welch-1";
  judgement.base = ToSummary(measured.base);
  judgement.head = ToSummary(measured.head);
  judgement.absolute_change = measured.absolute_change;
  judgement.relative_change = measured.relative_change;
  if (measured.t_test) {
    judgement.t_statistic = measured.t_test->t_statistic;
    judgement.degrees_of_freedom = measured.t_test->degrees_of_freedom;
    judgement.p_value = measured.t_test->p_value;
  }
  if (measured.standing == Standing::kIdentical) judgement.p_value = 1;
  judgement.rank_p_value = measured.rank_p_value;
  judgement.shift = measured.shift;
  judgement.min_relative_change = traits.min_relative_change;
  judgement.min_absolute_change = traits.min_absolute_change;
  return judgement;
}

void Conclude(Judgement& judgement, Verdict verdict, const char* reason) {
  judgement.verdict = verdict;
  judgement.reason = reason;
}

Verdict Direction(double change, const MetricTraits& traits) {
  if (traits.better == model::Better::kNeither || FamilyOf(traits) == kUncatalogued) {
    return Verdict::kChanged;
  }
  const bool got_better = (change > 0) == (traits.better == model::Better::kHigher);
  return got_better ? Verdict::kImprovement : Verdict::kRegression;
}

// Why a change is too small to matter whatever its certainty; null when it is not.
const char* TooSmall(const Measurement& measured, const MetricTraits& traits) {
  const double level = std::max(std::abs(measured.base.mean), std::abs(measured.head.mean));
  if (level < traits.min_level) return "below_min_level";
  if (std::abs(measured.absolute_change) < traits.min_absolute_change) return "below_min_effect";
  if (measured.relative_change &&
      std::abs(*measured.relative_change) < traits.min_relative_change) {
    return "below_min_effect";
  }
  return nullptr;
}

bool RanksAgree(const Measurement& measured) {
  // Three runs a side can reach 0.1 at best; then their ranges must not overlap.
  const double smallest = SmallestRankPValue(measured.base.count, measured.head.count);
  return measured.rank_p_value.value_or(1) <= std::max(kMaxRankPValue, smallest * (1 + 1e-4));
}

void DecideTested(const Measurement& measured, const MetricTraits& traits, Judgement& judgement) {
  if (const char* reason = TooSmall(measured, traits)) {
    return Conclude(judgement, Verdict::kUnchanged, reason);
  }
  if (!(judgement.q_value.value_or(1) <= judgement.max_q_value)) {
    return Conclude(judgement, Verdict::kUnchanged, "not_significant");
  }
  if (!RanksAgree(measured)) return Conclude(judgement, Verdict::kUnchanged, "ranks_overlap");
  if (measured.shift.value_or(0) * measured.absolute_change < 0) {
    return Conclude(judgement, Verdict::kInconclusive, "mean_and_ranks_disagree");
  }
  Conclude(judgement, Direction(measured.absolute_change, traits),
           measured.base_is_zero ? "new_nonzero" : "significant");
}

void DecideWithoutSpread(const Measurement& measured, const MetricTraits& traits,
                         Judgement& judgement) {
  if (const char* reason = TooSmall(measured, traits)) {
    return Conclude(judgement, Verdict::kUnchanged, reason);
  }
  // Few equal runs may all have met the same mode of a metric that has two.
  if (std::min(measured.base.count, measured.head.count) < kMinRunsWithoutSpread ||
      !RanksAgree(measured)) {
    return Conclude(judgement, Verdict::kInconclusive, "changed_unconfirmed");
  }
  Conclude(judgement, Direction(measured.absolute_change, traits),
           measured.base_is_zero ? "new_nonzero" : "changed_deterministic");
}

void Decide(const Measurement& measured, const MetricTraits& traits, Judgement& judgement) {
  switch (measured.standing) {
    case Standing::kTestable:
      return DecideTested(measured, traits, judgement);
    case Standing::kWithoutSpread:
      return DecideWithoutSpread(measured, traits, judgement);
    case Standing::kIdentical:
      return Conclude(judgement, Verdict::kUnchanged, "identical");
    case Standing::kInsufficient:
      return Conclude(judgement, Verdict::kInconclusive, "insufficient");
    case Standing::kMissing:
      return Conclude(judgement, Verdict::kInconclusive, "missing");
    case Standing::kGone:
      return Conclude(judgement, Verdict::kInconclusive, "gone");
  }
}

}  // namespace

std::vector<Judgement> Judge(std::span<const MetricRepeats> metrics, const JudgeOptions& options) {
  std::vector<Measurement> measured;
  measured.reserve(metrics.size());
  std::array<std::vector<std::size_t>, kFamilyCount> members;
  std::array<std::vector<double>, kFamilyCount> p_values;
  for (const MetricRepeats& metric : metrics) {
    measured.push_back(Measure(metric));
    if (measured.back().standing != Standing::kTestable || !measured.back().t_test) continue;
    const Family family = FamilyOf(metric.traits);
    members[family].push_back(measured.size() - 1);
    p_values[family].push_back(measured.back().t_test->p_value);
  }

  std::vector<Judgement> judgements;
  judgements.reserve(metrics.size());
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Family family = FamilyOf(metrics[i].traits);
    Judgement judgement = NumbersOf(measured[i], metrics[i].traits);
    judgement.max_q_value = MaxQValue(family, options);
    judgement.family_size = static_cast<std::int32_t>(members[family].size());
    judgements.push_back(std::move(judgement));
  }
  for (std::size_t family = 0; family < kFamilyCount; ++family) {
    const std::vector<double> q_values = BenjaminiHochberg(p_values[family]);
    for (std::size_t k = 0; k < q_values.size(); ++k) {
      judgements[members[family][k]].q_value = q_values[k];
    }
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    Decide(measured[i], metrics[i].traits, judgements[i]);
  }
  return judgements;
}

}  // namespace regressd::analysis
