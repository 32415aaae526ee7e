#pragma once

#include <optional>
#include <span>

namespace regressd::bench {

/// By how much work slows down when something else runs beside it.
struct SlowDown {
  double percent = 0;                  ///< Less work a second, of the work without; negative: more.
  std::optional<double> low_percent;   ///< 95 % confidence; both unset with fewer than
  std::optional<double> high_percent;  ///< four values on a side, which can prove nothing.
  double p_value = 1;                  ///< Two-sided.

  /// The interval leaves out "no slow-down".
  bool Distinguishable() const;
};

/// Compares rates (work a second, all above 0) of runs without and with something beside them.
///
/// The test is Mann and Whitney's, the estimate Hodges and Lehmann's shift of the rates'
/// logarithms, and the interval all shifts that the test would not reject at 5 % (J. L. Hodges and
/// E. L. Lehmann, Ann. Math. Stat. 34, 1963; M. Hollander and D. A. Wolfe, Nonparametric
/// Statistical Methods, 4.3): all three agree with each other, and a few disturbed runs do not
/// decide.
SlowDown CompareRates(std::span<const double> without, std::span<const double> with);

}  // namespace regressd::bench
