#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/model/metric.h"

namespace regressd::parse {

/// One line of what a benchmark wrote.
struct InputLine {
  std::string_view input;  ///< What it is a line of: "stdout", "stderr" or a file's path.
  int number = 0;          ///< From 1 in this input.
  std::string_view text;   ///< Without its end.
};

/// "stdout line 12", for messages.
std::string Where(const InputLine& line);

struct BenchmarkResult {
  std::string name;  ///< Without the testcase: "throughput".
  double value = 0;
  std::string unit;                                    ///< Empty: the catalogue decides.
  std::optional<model::Better> better = std::nullopt;  ///< Unset: the catalogue decides.
};

/// The values of single tasks, files or iterations, in the order in which they were written.
struct BenchmarkObservations {
  std::string name;  ///< Without the testcase, and never the name of a result.
  std::string unit;
  model::Better better = model::Better::kNeither;
  std::vector<double> values;
};

struct BenchmarkResults {
  std::vector<BenchmarkResult> results;  ///< A name may occur again: a further sample of it.
  std::vector<BenchmarkObservations> observations;
  std::vector<std::string> notes;  ///< What the reader of the run should know.
  /// Why the output is not to be trusted, and where; empty when it is. All else may be partial
  /// then.
  std::string failure;

  bool empty() const { return results.empty() && observations.empty(); }
};

/// Reads the output of one benchmark. Lines that are none of its results are left alone, wherever
/// they stand. One thread.
class BenchmarkParser {
 public:
  virtual ~BenchmarkParser() = default;

  /// A file whose lines come next, perhaps none.
  virtual void BeginFile(std::string_view /*path*/) {}

  /// Lines of one input come in order; those of the two outputs of a command may alternate.
  virtual void Feed(const InputLine& line) = 0;

  /// Once, after the last line.
  virtual BenchmarkResults Finish() = 0;
};

}  // namespace regressd::parse
