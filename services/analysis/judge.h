#pragma once

#include <span>
#include <vector>

#include "services/model/comparison.h"

namespace regressd::analysis {

/// What decides how a metric is judged, beside its numbers.
struct MetricTraits {
  model::Better better = model::Better::kNeither;
  bool headline = false;     ///< A result of the workload itself: family 1.
  bool catalogued = true;    ///< Known to the catalogue; others are family 3 and never gate.
  double min_relative_change = 0.02;  ///< Changes below are no change.
  double min_absolute_change = 0;     ///< Metric's unit.
  double min_level = 0;  ///< Ignored when both means are below; metric's unit.
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

/// Judges all metrics of one comparison together, with one Benjamini-Hochberg correction a family.
/// Result k belongs to metric k. The same input gives the same result whatever the order of the metrics.
/// NaN and infinite values are left out of a side, as if that run lacked the metric.
/// A side without values: kInconclusive, "missing"; n = 1 on both sides: kInconclusive, "insufficient".
std::vector<model::Judgement> Judge(std::span<const MetricRepeats> metrics,
                                    const JudgeOptions& options = {});

}  // namespace regressd::analysis
