#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/parse/benchmark_results.h"

namespace regressd::parse {

/// Reads what the cases of vm-scalability print: usemem's "N bytes / N usecs = N KB/s" of each task
/// and "N usecs to free memory", dd's "N bytes (...) copied, N s", and the lines of the truncate,
/// fault, remap and migrate cases. A line that ends in "./case-NAME" begins an iteration.
///
/// Results, named and defined as in LKP so that they compare with LKP's:
/// - throughput: KB/s of all tasks of an iteration, averaged over the iterations;
/// - median: of the tasks of an iteration (the upper one), averaged likewise;
/// - stddev%, median_stddev%: population standard deviation of those over the iterations, in
///   percent of their mean. With one iteration, stddev% is that of its tasks times their number, as
///   LKP has it, and there is no median_stddev%;
/// - free_time: seconds to free the memory, averaged; workload: KiB moved in all;
/// - throughput_fault, median_fault, stddev_fault%, median_fault_stddev% of fault cases;
/// - migrate_mbps of each line.
/// What LKP rounds is kept whole, and a remap case is in KB/s (LKP's shift makes it 5 % less).
///
/// Observations: task_throughput and task_throughput_fault, one value a task.
///
/// It fails when an iteration has no result or when a line's own figures do not agree.
class VmScalabilityParser final : public BenchmarkParser {
 public:
  void Feed(const InputLine& line) override;
  BenchmarkResults Finish() override;

 private:
  /// What the tasks of the iterations reached, in KB/s.
  struct Rates {
    std::vector<double> iteration;  ///< Of the one that is being read.
    std::vector<double> all;
    std::vector<double> sums;     ///< One an iteration.
    std::vector<double> medians;  ///< One an iteration.

    void Add(double kb_per_s);
    void EndIteration();
    double StddevPercent() const;
  };

  bool ReadUsemem(const InputLine& line);
  bool ReadOther(const InputLine& line);
  void EndIteration();
  void Fail(std::string reason);
  static void Report(const Rates& rates, const std::string& suffix, BenchmarkResults* out);

  Rates rates_;
  Rates fault_rates_;
  std::vector<double> migrate_mbps_;
  std::vector<double> free_seconds_;
  double moved_bytes_ = 0;
  std::string case_line_;  ///< Where the running iteration began.
  std::int64_t iteration_result_count_ = 0;
  std::string failure_;
};

}  // namespace regressd::parse
