#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace regressd::ctl {

/// Where data goes: standard output, and nothing but data. One thread.
///
/// A reader that has seen enough (`| head`) is no error: closed() turns true, and later writes do
/// nothing. SIGPIPE must be ignored.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}

  void Write(std::string_view text);
  /// Sends what was written on its way, for streams.
  void Flush();

  /// Nobody reads on, or the disk is full: stop.
  bool closed() const { return closed_; }
  /// Flushes. Errors: what kept the data from being written, but not a reader that went away.
  absl::Status Finish();

 private:
  void Check(bool good);

  std::FILE* file_;
  bool closed_ = false;
  int error_ = 0;
};

/// A text field of a CSV line (RFC 4180), quoted when it must be; control characters are spelled
/// out. What a spreadsheet would take for a formula, text that begins with = + - or @, gets an
/// apostrophe in front. Not for numbers: -1 is a number.
std::string CsvField(std::string_view text);

/// The shortest text that reads back as the same number.
std::string NumberText(double value);

}  // namespace regressd::ctl
