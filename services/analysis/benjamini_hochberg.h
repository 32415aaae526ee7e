#pragma once

#include <span>
#include <vector>

namespace regressd::analysis {

/// Adjusted p-values (q) of the step-up procedure of Y. Benjamini and Y. Hochberg (J. R. Stat. Soc.
/// B 57, 1995): rejecting all q <= a keeps the expected share of false discoveries at or below a,
/// for independent or positively dependent tests. R: p.adjust(p, "BH"). Result k belongs to
/// p_values[k].
std::vector<double> BenjaminiHochberg(std::span<const double> p_values);

}  // namespace regressd::analysis
