#pragma once

#include <optional>
#include <span>
#include <string>

namespace regressd::report {

/// The number fields of LKP's tables, to the byte (lkp.md 3.6). LKP runs on Ruby, which takes a
/// value within a hair of a decimal tie for the tie and rounds it to the even digit (lkp.md 3.7):
/// 0.35 gives 0.4 and 2.675 gives 2.68, where C gives 0.3 and 2.67. Widths are minimums: large
/// values widen their field.

/// Ruby's `%.<decimals>f`.
std::string FormatFixed(double value, int decimals);

/// 10 wide: 2 decimals below 1000, then whole numbers cut towards zero, above 1e8 four significant
/// digits.
std::string FormatMean(double mean);

/// 12 wide, with its sign. `change` is a percentage, or with `absolute` in the metric's own unit,
/// shown without "%".
std::string FormatChange(double change, bool absolute);

/// 6 wide: the spread as "± 12%" of the mean, blank up to 2 %. `population_stddev` divides by n; -1
/// is LKP's mark of a single value. As in LKP a negative mean gives blanks, and a mean of 0 shows
/// the bare stddev.
std::string FormatStddev(double mean, double population_stddev);

/// 12 wide: by how many percent of the runs a failure became more frequent.
std::string FormatReproduction(double percent);

/// How LKP averages: Neumaier's compensated sum over the count. Unset without values.
std::optional<double> LkpMean(std::span<const double> values);

/// Population stddev: sqrt(1/n * sum (x - mean)^2), left to right. `values` is not empty.
double LkpStddev(std::span<const double> values, double mean);

}  // namespace regressd::report
