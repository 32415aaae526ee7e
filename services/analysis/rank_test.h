#pragma once

#include <cstddef>
#include <span>

namespace regressd::analysis {

/// The two sides of a test of ranks. Finite values, in any order.
struct RankedSides {
  std::span<const double> base;
  std::span<const double> head;
};

/// Two-sided p of the test of H. B. Mann and D. R. Whitney (Ann. Math. Stat. 18, 1947), with the
/// mean of the ranks for ties, as the probability of a rank sum at least as far from its
/// expectation.
///
/// Exact (every assignment of the given ranks to the sides is equally likely) without ties up to
/// 900 pairs of values, by Mann and Whitney's counting recurrence; with ties up to 225 pairs, by
/// the shift algorithm of B. Streitberg and J. Roehmel (Statistical Software Newsletter 12, 1986),
/// which counts what full enumeration would. Beyond: normal approximation with the variance
/// corrected for ties and a continuity correction of 1/2. 1 when a side is empty.
double MannWhitneyPValue(const RankedSides& sides);

/// The smallest p that a two-sided exact test can give for these sizes: min(1, 2 / C(m+n, m)).
double SmallestRankPValue(std::size_t base_count, std::size_t head_count);

/// J. L. Hodges and E. L. Lehmann's shift: the median of all differences head - base (Ann. Math.
/// Stat. 34, 1963). 0 when a side is empty.
double HodgesLehmannShift(const RankedSides& sides);

/// N. Cliff's delta (Psychological Bulletin 114, 1993): the share of pairs in which the head is
/// larger less the share in which it is smaller, from -1 to 1. 0 when a side is empty.
double CliffsDelta(const RankedSides& sides);

}  // namespace regressd::analysis
