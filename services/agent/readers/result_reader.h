#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "services/agent/output_stream.h"
#include "services/parse/benchmark_results.h"

namespace regressd::agent {

/// What a kind of output is read from.
struct ReaderSources {
  bool standard_output = true;
  bool standard_error = true;
  /// Which files of a directory hold results; empty: a directory cannot be read.
  std::function<bool(std::string_view path)> file_of_directory = {};
};

/// Reads the results of one run out of what its command wrote: line by line while it runs, or files
/// afterwards. One thread.
class ResultReader {
 public:
  ResultReader(std::string name, ReaderSources sources,
               std::unique_ptr<parse::BenchmarkParser> parser);

  const std::string& name() const { return name_; }
  const ReaderSources& sources() const { return sources_; }

  /// A line of one of the command's outputs, without its end.
  void TakeLine(OutputStream stream, std::string_view line);

  /// A whole file. `path` is what messages call it.
  void TakeFile(std::string_view path, std::string_view text);

  /// Once, after the last line. Output without any result is a failure, too; a failure begins with
  /// the reader's name.
  parse::BenchmarkResults Finish();

 private:
  void Feed(std::string_view input, int line_number, std::string_view line);
  std::string NothingFound() const;

  const std::string name_;
  const ReaderSources sources_;
  const std::unique_ptr<parse::BenchmarkParser> parser_;
  int stdout_line_count_ = 0;
  int stderr_line_count_ = 0;
  std::int64_t line_count_ = 0;
  std::int64_t file_count_ = 0;
  std::string last_line_;  ///< That is not blank.
};

}  // namespace regressd::agent
