#include "services/analysis/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace regressd::analysis {
namespace {

constexpr std::size_t kMaxExactPairs = 900;
constexpr std::size_t kMaxExactPairsWithTies = 225;

// Ranks are doubled throughout: the mean rank of a tie may end in .5.
struct Ranking {
  std::vector<std::int64_t> doubled_ranks;  // Of all values, ascending.
  std::int64_t doubled_head_sum = 0;
  double tie_term = 0;  // Sum of t^3 - t over the ties.

  bool HasTies() const { return tie_term > 0; }
};

Ranking Rank(const RankedSides& sides) {
  struct Entry {
    double value;
    bool in_head;
  };
  std::vector<Entry> entries;
  for (const double value : sides.base) entries.push_back({value, false});
  for (const double value : sides.head) entries.push_back({value, true});
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.value < b.value; });

  Ranking ranking;
  for (std::size_t first = 0; first < entries.size();) {
    std::size_t end = first;
    while (end < entries.size() && entries[end].value == entries[first].value) ++end;
    const auto doubled_rank = static_cast<std::int64_t>(first + end + 1);
    for (std::size_t i = first; i < end; ++i) {
      ranking.doubled_ranks.push_back(doubled_rank);
      if (entries[i].in_head) ranking.doubled_head_sum += doubled_rank;
    }
    const auto tied = static_cast<double>(end - first);
    ranking.tie_term += tied * tied * tied - tied;
    first = end;
  }
  return ranking;
}

// Share of `counts` whose index is at least as far from `centre` as `observed` is.
double ShareAtLeastAsFar(std::span<const double> counts, std::int64_t centre,
                         std::int64_t observed) {
  double all = 0;
  double far = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    const auto index = static_cast<std::int64_t>(i);
    if (std::abs(index - centre) >= std::abs(observed - centre)) far += counts[i];
  }
  return std::min(1.0, far / all);
}

// Numbers of arrangements of m and n values by their U, from f(m,n,u) = f(m-1,n,u-n) + f(m,n-1,u).
std::vector<double> CountByU(std::size_t m, std::size_t n) {
  // by_n[j] holds f(i, j, .) of the row i that is being made; it still holds row i-1 before.
  std::vector<std::vector<double>> by_n(n + 1, std::vector<double>(m * n + 1, 0.0));
  for (auto& counts : by_n) counts[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t j = 1; j <= n; ++j) {
      for (std::size_t u = i * j + 1; u-- > 0;) {
        by_n[j][u] = (u >= j ? by_n[j][u - j] : 0) + by_n[j - 1][u];
      }
    }
  }
  return by_n[n];
}

double ExactWithoutTies(const RankedSides& sides, const Ranking& ranking) {
  const auto head_count = static_cast<std::int64_t>(sides.head.size());
  const auto pairs = static_cast<std::int64_t>(sides.base.size() * sides.head.size());
  const std::int64_t u = (ranking.doubled_head_sum - head_count * (head_count + 1)) / 2;
  const std::int64_t nearer_end = std::min(u, pairs - u);
  if (2 * nearer_end == pairs) return 1;
  // The distribution is symmetric, so both tails are as heavy.
  double all = 0;
  double tail = 0;
  const std::vector<double> counts = CountByU(sides.base.size(), sides.head.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (static_cast<std::int64_t>(i) <= nearer_end) tail += counts[i];
  }
  return std::min(1.0, 2 * tail / all);
}

double ExactWithTies(const RankedSides& sides, const Ranking& ranking) {
  std::int64_t doubled_total = 0;
  for (const std::int64_t rank : ranking.doubled_ranks) doubled_total += rank;
  // Either side's sum tells the same; the smaller side has fewer subsets.
  const bool head_is_smaller = sides.head.size() <= sides.base.size();
  const std::size_t chosen = std::min(sides.head.size(), sides.base.size());
  const std::int64_t observed =
      head_is_smaller ? ranking.doubled_head_sum : doubled_total - ranking.doubled_head_sum;
  // counts[k][s]: subsets of k of the values seen so far whose doubled ranks add up to s.
  std::vector<std::vector<double>> counts(
      chosen + 1, std::vector<double>(static_cast<std::size_t>(doubled_total) + 1, 0.0));
  counts[0][0] = 1;
  std::size_t reached = 0;
  for (const std::int64_t rank : ranking.doubled_ranks) {
    const auto step = static_cast<std::size_t>(rank);
    reached += step;
    for (std::size_t k = chosen; k > 0; --k) {
      for (std::size_t s = reached; s >= step; --s) counts[k][s] += counts[k - 1][s - step];
    }
  }
  const auto centre = static_cast<std::int64_t>(chosen * (ranking.doubled_ranks.size() + 1));
  return ShareAtLeastAsFar(counts[chosen], centre, observed);
}

double NormalApproximation(const RankedSides& sides, const Ranking& ranking) {
  const auto m = static_cast<double>(sides.base.size());
  const auto n = static_cast<double>(sides.head.size());
  const double total = m + n;
  const double variance = m * n / 12 * (total + 1 - ranking.tie_term / (total * (total - 1)));
  if (!(variance > 0)) return 1;
  const double centre = n * (total + 1) / 2;
  const double distance =
      std::abs(static_cast<double>(ranking.doubled_head_sum) / 2 - centre) - 0.5;
  return std::erfc(std::max(0.0, distance) / std::sqrt(2 * variance));
}

}  // namespace

double MannWhitneyPValue(const RankedSides& sides) {
  if (sides.base.empty() || sides.head.empty()) return 1;
  const Ranking ranking = Rank(sides);
  const std::size_t pairs = sides.base.size() * sides.head.size();
  if (!ranking.HasTies() && pairs <= kMaxExactPairs) return ExactWithoutTies(sides, ranking);
  if (ranking.HasTies() && pairs <= kMaxExactPairsWithTies) return ExactWithTies(sides, ranking);
  return NormalApproximation(sides, ranking);
}

double SmallestRankPValue(std::size_t base_count, std::size_t head_count) {
  double arrangements = 1;
  for (std::size_t i = 1; i <= head_count; ++i) {
    arrangements *= static_cast<double>(base_count + i) / static_cast<double>(i);
  }
  return std::min(1.0, 2 / arrangements);
}

double HodgesLehmannShift(const RankedSides& sides) {
  std::vector<double> differences;
  differences.reserve(sides.base.size() * sides.head.size());
  for (const double head : sides.head) {
    for (const double base : sides.base) differences.push_back(head - base);
  }
  if (differences.empty()) return 0;
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  if (differences.size() % 2 == 1) return *middle;
  const double below = *std::max_element(differences.begin(), middle);
  return below + (*middle - below) / 2;
}

double CliffsDelta(const RankedSides& sides) {
  std::int64_t balance = 0;
  for (const double head : sides.head) {
    for (const double base : sides.base) {
      balance += static_cast<int>(head > base) - static_cast<int>(head < base);
    }
  }
  const auto pairs = static_cast<double>(sides.base.size() * sides.head.size());
  return pairs > 0 ? static_cast<double>(balance) / pairs : 0;
}

}  // namespace regressd::analysis
