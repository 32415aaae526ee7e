#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/model/metric.h"
#include "services/parse/problem.h"

namespace regressd::parse {

/// A metric as a workload announces it.
struct ObservationMetric {
  std::string name;  ///< Without the testcase: "truncate_time".
  std::string unit;
  model::Better better = model::Better::kNeither;
};

/// One value of one operation.
struct Observation {
  int metric_index = 0;  ///< In metrics().
  double value = 0;
};

/// Reads what a workload writes to the file that REGRESS_OBSERVATIONS names: the values of its
/// single operations, in the order of their ends, as lines of text:
///
///     # truncate_time us lower
///     12.25
///     11.5
///     # create_time us lower
///     truncate_time 11.75
///
/// "# name [unit] [higher|lower|neither]" announces a metric (again: goes on with it), a number is
/// a value of the metric announced last, "name number" one of any announced metric. Empty lines are
/// skipped. A name that can be none (see NameFault) is left out with its values. All else is
/// refused by line number, the rest kept. One thread.
class ObservationReader {
 public:
  /// Takes one line without its end. True when it held a value, then in `*out`.
  bool Feed(std::string_view line, Observation* out);

  const std::vector<ObservationMetric>& metrics() const { return metrics_; }
  /// What was found since the last call; after 20 problems the others are only counted in the last
  /// one.
  Problems TakeProblems();

 private:
  void ReadHeader(std::string_view text);
  int FindMetric(std::string_view name) const;
  void Complain(std::string code, const std::string& message);

  std::vector<ObservationMetric> metrics_;
  Problems problems_;
  int line_number_ = 0;
  int problem_count_ = 0;
  int current_ = -1;
};

}  // namespace regressd::parse
