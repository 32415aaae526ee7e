#pragma once

#include <cstddef>
#include <span>

namespace regressd::analysis {

/// Centre and spread of one metric over the runs of one group.
struct Moments {
  std::size_t count = 0;
  double mean = 0;               ///< In the values' unit.
  double sample_stddev = 0;      ///< Divides by n-1; 0 for a single value.
  double population_stddev = 0;  ///< Divides by n, as LKP's tables do; 0 for a single value.
};

/// Summarises finite `values`, in any order: sorted first, so that the order cannot change a digit.
/// Mean by Neumaier's compensated sum (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
/// Summation endlicher Summen", ZAMM 54, 1974). Spread in two passes with the correction of Chan,
/// Golub and LeVeque ("Algorithms for computing the sample variance", Am. Stat. 37, 1983, eq. 1.7),
/// so that a small spread on a large mean survives. Nothing overflows up to 1e300.
/// All zeros for no values.
Moments Summarize(std::span<const double> values);

/// True when all values are the same but for the rounding of their own computation: their range is
/// at most eight units in the last place of the largest. False for no values.
bool IsConstant(std::span<const double> values);

}  // namespace regressd::analysis
