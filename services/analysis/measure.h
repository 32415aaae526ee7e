#pragma once

#include <optional>

#include "services/analysis/judge.h"
#include "services/analysis/summary.h"
#include "services/analysis/welch.h"

namespace regressd::analysis {

/// What can be said of one metric's two sides at all.
enum class Standing {
  kTestable,       ///< A t-test stands.
  kIdentical,      ///< All values are the same.
  kWithoutSpread,  ///< Each side is constant, and they differ: no t exists.
  kInsufficient,   ///< Fewer than three values on a side.
  kMissing,        ///< The base has no value.
  kGone,           ///< The head has no value.
};

/// The numbers of one metric, before any limit is applied.
struct Measurement {
  Standing standing = Standing::kMissing;
  Moments base;
  Moments head;
  bool base_is_zero = false;  ///< Every value of the base is 0.
  double absolute_change = 0;
  std::optional<double> relative_change;
  std::optional<TTestResult> t_test;  ///< CautiousTTest.
  std::optional<double> rank_p_value;
  std::optional<double> shift;
};

/// Measures one metric. Spreads enter the test with at least the variance quantum^2/12 of rounding
/// to whole steps, so that counts which happen to agree do not look certain.
Measurement Measure(const MetricRepeats& metric);

}  // namespace regressd::analysis
