#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace regressd::report {

/// True for names that LKP counts as failures instead of averaging them: dmesg.*, last_state.*,
/// <test>.fail (lkp.md 2.5).
bool IsFunctional(std::string_view metric_name);

/// True for percentages and profile shares: their change is a difference, not a quotient
/// (lkp.md 3.4).
bool HasAbsoluteChange(std::string_view metric_name);

/// The text before the first dot: "vmstat" of "vmstat.swap.so".
std::string_view FamilyOf(std::string_view metric_name);

/// True for the testcase's own results: "vm-scalability.throughput", not
/// "vm-scalability.time.system_time".
bool IsResultOf(std::string_view testcase, std::string_view metric_name);

/// A row as far as its place in the table goes.
struct OrderedRow {
  std::size_t index = 0;  ///< In the block; says in which order rows were met.
  std::string_view name;
  bool functional = false;
  std::vector<double> changes;  ///< One for each column after the base.
};

/// Sorts rows as LKP does (lkp.md 5): failures first, then the families of `test_families`, then
/// families with the fewest rows; inside a family by name, and rows of a profile by change. `rows`
/// comes in the order in which rows were met.
void SortRows(const std::set<std::string, std::less<>>& test_families,
              std::vector<OrderedRow>* rows);

}  // namespace regressd::report
