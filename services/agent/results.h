#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "services/agent/command_runner.h"
#include "services/agent/sample_sink.h"

namespace regressd::agent {

/// Gathers what a command says of itself, as metrics of its testcase: results of its output, then
/// its rusage as `<testcase>.time.*`. A name that comes several times has several samples. One
/// thread.
class ResultCollector {
 public:
  explicit ResultCollector(std::string testcase) : testcase_(std::move(testcase)) {}

  /// A line of its stdout.
  void TakeLine(std::string_view line);
  void TakeUsage(const CommandResult& result);

  /// Sends all as the source "result", with the time `time`. `taken_names` are metrics of the run
  /// that others have sent: a result of that name is dropped, with a note.
  void Send(model::Time time, const std::unordered_set<std::string>& taken_names, SampleSink* sink);

  /// Results of the output alone, in order: name without the testcase, last value.
  std::int64_t result_count() const { return result_count_; }

 private:
  struct Column {
    model::Metric metric;
    std::vector<double> values;
  };

  Column* Find(const std::string& name);
  void AddTime(const std::string& name, double value);

  const std::string testcase_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> problems_;
  std::int64_t result_count_ = 0;
};

/// Sends the file that a command wrote where REGRESS_OBSERVATIONS said, as the source
/// "observations"; nothing when it did not. Returns the metrics' full names.
std::unordered_set<std::string> SendObservations(const std::filesystem::path& file,
                                                 const std::string& testcase, SampleSink* sink);

}  // namespace regressd::agent
