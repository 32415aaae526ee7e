#pragma once

#include <span>
#include <vector>

#include "services/model/comparison.h"

namespace regressd::analysis {

/// What decides how a metric is judged, beside its numbers.
struct MetricTraits {
  model::Better better = model::Better::kNeither;
  bool headline = false;   ///< A result of the workload itself: family 1.
  bool catalogued = true;  ///< Known to the catalogue; others are family 3 and never gate.
  double min_relative_change = 0.02;  ///< Changes below are no change.
  double min_absolute_change = 0;     ///< Metric's unit.
  double min_level = 0;               ///< Ignored when both means are below; metric's unit.
  double quantum = 0;  ///< Smallest step of a run value: 1 for counts; 0 when not known.
};

/// One metric's run values on both sides, in any order.
struct MetricRepeats {
  MetricTraits traits;
  std::span<const double> base;
  std::span<const double> head;
};

/// Limits of the rule. The defaults are those of detection.md a.6.
struct JudgeOptions {
  double max_q_value = 0.05;               ///< Headline and catalogued families.
  double max_q_value_uncatalogued = 0.01;  ///< The third family.
};

/// Judges all metrics of one comparison together by the rule "welch-1" of detection.md (a), without
/// history: Welch's t (Student's where that is less certain: welch.h), one Benjamini-Hochberg
/// correction for each family (headline, catalogued, uncatalogued), and as guards the ranks
/// (Mann-Whitney) and the least effects of the metric.
///
/// Result k belongs to metric k. The same input gives the same result whatever the order of metrics
/// or values. No value and no metric breaks another metric's verdict: NaN, infinite and absurd
/// (beyond 1e300) values are left out of a side, as if that run lacked the metric.
///
/// Verdicts and their reasons:
/// - kRegression, kImprovement, or kChanged for metrics without direction and uncatalogued ones:
///   "significant"; "new_nonzero" (base all 0, so no relative change and no least one);
///   "changed_deterministic" (no spread at all on either side, at least five runs each).
/// - kUnchanged: "identical" (all values the same; not counted in a family), "below_min_level",
///   "below_min_effect", "not_significant", "ranks_overlap".
/// - kInconclusive: "missing" (base has no value), "gone" (head has none), "insufficient" (fewer
/// than
///   three on a side), "changed_unconfirmed" (no spread on either side, fewer than five runs on
///   one: more runs are needed), "mean_and_ranks_disagree" (means and medians moved in opposite
///   ways).
std::vector<model::Judgement> Judge(std::span<const MetricRepeats> metrics,
                                    const JudgeOptions& options = {});

}  // namespace regressd::analysis
