#pragma once

#include <optional>

#include "services/analysis/rank_test.h"

namespace regressd::analysis {

/// Exact two-sided p of the difference of means over all assignments of the values to the sides
/// (E. J. G. Pitman, J. R. Stat. Soc. Suppl. 4, 1937): the share with a difference at least as
/// large as the one seen. Deterministic.
/// nullopt when a side is empty or there are more than 200 000 assignments.
std::optional<double> MeanDifferencePermutationPValue(const RankedSides& sides);

}  // namespace regressd::analysis
