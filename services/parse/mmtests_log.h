#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/parse/benchmark_results.h"
#include "services/parse/gnu_time.h"

namespace regressd::parse {

/// Reads the raw logs of one mmtests benchmark, known by their files' names (those of the
/// directory <test>/logs, of all iterations):
/// - truncate.log of sparsetruncate: observations Time, microseconds of one unlink a line;
/// - kernbench-JOBS-I.time of kernbench, GNU time: results user-JOBS, syst-JOBS, elsp-JOBS;
/// - usemem-THREADS-I of usemem, GNU time: results syst-THREADS, elsp-THREADS;
/// - wis-WORKLOAD-MODEL-TASKS.log of will-it-scale: results WORKLOAD-MODEL-TASKS, one sample a
///   second after the warm-up.
/// Operations are named as mmtests names them; its iterations are pooled as it pools them. Other
/// files are left alone. Feed the files in the order of their iterations.
///
/// It fails when one of these files has no sample or something else in place of one, when a timed
/// command failed, and when the files are of several benchmarks.
class MmtestsParser final : public BenchmarkParser {
 public:
  void BeginFile(std::string_view path) override;
  void Feed(const InputLine& line) override;
  BenchmarkResults Finish() override;

  /// Whether lines of this file would be read.
  static bool Reads(std::string_view path);

 private:
  enum class Benchmark { kOther, kSparsetruncate, kKernbench, kUsemem, kWillItScale };

  struct File {
    Benchmark benchmark = Benchmark::kOther;
    std::string suffix;  ///< Of its operations: "8", "page_fault1-threads-8".
  };

  static File Classify(std::string_view path);
  static std::string_view NameOf(Benchmark benchmark);
  void EndFile();
  void ReadTruncate(const InputLine& line);
  void ReadWillItScale(std::string_view text);
  void TakeTimes();
  void AddSample(std::string name, double value, std::string unit, model::Better better);
  void Fail(std::string reason);

  std::string path_;
  File file_;
  std::string first_path_;  ///< The first file of `benchmark_`.
  Benchmark benchmark_ = Benchmark::kOther;
  int sample_count_ = 0;     ///< Of the file.
  bool warming_up_ = false;  ///< The log of will-it-scale still has its warm-up, and is in it.
  TimeReportReader time_;
  std::vector<double> unlink_us_;
  BenchmarkResults out_;
};

}  // namespace regressd::parse
