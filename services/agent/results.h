#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "services/agent/command_runner.h"
#include "services/agent/output_stream.h"
#include "services/agent/readers/result_reader.h"
#include "services/agent/sample_sink.h"

namespace regressd::agent {

/// Gathers what a command says of itself, as metrics of its testcase: results of its output, then
/// its rusage as `<testcase>.time.*`. A name that comes several times has several samples. One
/// thread.
///
/// With a reader the results are what it reads, else lines "name value [unit] [direction]" of
/// stdout, which may also be none.
class ResultCollector {
 public:
  explicit ResultCollector(std::string testcase, std::unique_ptr<ResultReader> reader = nullptr)
      : testcase_(std::move(testcase)), reader_(std::move(reader)) {}

  /// Null without one. Files are given to it directly.
  ResultReader* reader() { return reader_.get(); }

  /// A line of one of its outputs.
  void TakeLine(std::string_view line, OutputStream stream = OutputStream::kStdout);

  /// Once, after the last line and file. Returns why the results are not to be trusted; empty when
  /// they are, or without a reader.
  std::string FinishReading();

  /// After FinishReading; nothing when a reader has found the times.
  void TakeUsage(const CommandResult& result);

  /// Sends all as the source "result", with the time `time`. `taken_names` are metrics of the run
  /// that others have sent: a result of that name is dropped, with a note.
  void Send(model::Time time, const std::unordered_set<std::string>& taken_names, SampleSink* sink);

  /// Values of the output alone.
  std::int64_t result_count() const { return result_count_; }

  /// Every metric with the one number of the run that its values make, in the order of their
  /// coming.
  struct Value {
    model::Metric metric;
    double value = 0;
  };
  std::vector<Value> values() const;

 private:
  struct Column {
    model::Metric metric;
    std::vector<double> values;
  };

  /// Observations that a reader found.
  struct Observed {
    model::Metric metric;
    std::vector<double> values;
  };

  Column* Find(const std::string& name);
  void AddResult(const parse::BenchmarkResult& result);
  void SendObserved(SampleSink* sink);
  void AddProblem(std::string problem);
  void AddTime(const std::string& name, double value);

  const std::string testcase_;
  const std::unique_ptr<ResultReader> reader_;
  std::vector<Column> columns_;
  std::vector<Observed> observed_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> problems_;
  std::int64_t result_count_ = 0;
};

/// Sends the file that a command wrote where REGRESS_OBSERVATIONS said, as the source
/// "observations"; nothing when it did not. Returns the metrics' full names.
std::unordered_set<std::string> SendObservations(const std::filesystem::path& file,
                                                 const std::string& testcase, SampleSink* sink);

}  // namespace regressd::agent
