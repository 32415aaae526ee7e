#include "services/agent/readers/result_reader.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "services/parse/text.h"

namespace regressd::agent {

ResultReader::ResultReader(std::string name, ReaderSources sources,
                           std::unique_ptr<parse::BenchmarkParser> parser)
    : name_(std::move(name)), sources_(std::move(sources)), parser_(std::move(parser)) {}

void ResultReader::Feed(std::string_view input, int line_number, std::string_view line) {
  ++line_count_;
  // Cut, as a line may be long and only its beginning is shown.
  if (const std::string_view text = parse::Trim(line); !text.empty()) {
    last_line_ = text.substr(0, 100);
  }
  parser_->Feed({.input = input, .number = line_number, .text = line});
}

void ResultReader::TakeLine(OutputStream stream, std::string_view line) {
  if (stream == OutputStream::kStdout && sources_.standard_output) {
    Feed("stdout", ++stdout_line_count_, line);
  } else if (stream == OutputStream::kStderr && sources_.standard_error) {
    Feed("stderr", ++stderr_line_count_, line);
  }
}

void ResultReader::TakeFile(std::string_view path, std::string_view text) {
  ++file_count_;
  parser_->BeginFile(path);
  std::string_view line;
  for (int line_number = 1; parse::NextLine(&text, &line); ++line_number) {
    Feed(path, line_number, line);
  }
}

std::string ResultReader::NothingFound() const {
  std::string text = line_count_ == 0 ? "no output at all"
                                      : fmt::format("no result in {} line{} of output", line_count_,
                                                    line_count_ == 1 ? "" : "s");
  if (file_count_ > 0) {
    fmt::format_to(std::back_inserter(text), " in {} file{}", file_count_,
                   file_count_ == 1 ? "" : "s");
  }
  if (last_line_.empty()) return text;
  return fmt::format("{}; the last was: {}", text, parse::Quote(last_line_));
}

parse::BenchmarkResults ResultReader::Finish() {
  parse::BenchmarkResults results = parser_->Finish();
  if (results.failure.empty() && results.empty()) results.failure = NothingFound();
  if (!results.failure.empty()) {
    results.failure = fmt::format("reader {}: {}", name_, results.failure);
  }
  return results;
}

}  // namespace regressd::agent
