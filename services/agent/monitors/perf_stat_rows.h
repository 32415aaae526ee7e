#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "services/agent/monitors/proc_files.h"
#include "services/parse/perf_stat.h"

namespace regressd::agent {

/// Gathers the rows of one interval of `perf stat -I` into one sample. An event that had to share a
/// counter with others has "<name>.running%" beside it, the share of the time in which it was
/// counted, from the first interval where it is below 100. One thread.
class PerfStatRows {
 public:
  struct Interval {
    double time_s = 0;  ///< Its end, seconds since perf's start.
    Row row;            ///< Its time is not set.
  };

  explicit PerfStatRows(std::int64_t period_us);

  /// Takes one row; the interval before it, when this row begins another.
  std::optional<Interval> Take(const parse::PerfStatRow& row);
  /// The interval at hand, when `event_count` rows or more have come for it. 0: always.
  std::optional<Interval> TakeIfComplete(std::size_t event_count);

  /// What was left out because no count is like that, one line; empty: nothing was.
  std::string Faults() const;

  /// The table whose source must be declared when it has grown.
  ColumnTable& table() { return table_; }

 private:
  std::optional<Interval> Finish();
  /// Sets a column, or notes a value that no counter has.
  void Set(const std::string& name, double value, double scale);

  ColumnTable table_;
  std::set<std::string> multiplexed_;
  std::optional<double> time_s_;
  std::size_t row_count_ = 0;
  std::string first_fault_;
  std::size_t fault_count_ = 0;
};

}  // namespace regressd::agent
