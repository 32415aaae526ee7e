#include "services/ctl/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "services/report/text.h"

namespace regressd::ctl {

void Output::Write(std::string_view text) {
  if (closed_ || text.empty()) return;
  errno = 0;
  Check(std::fwrite(text.data(), 1, text.size(), file_) == text.size());
}

void Output::Flush() {
  if (closed_) return;
  errno = 0;
  Check(std::fflush(file_) == 0);
}

absl::Status Output::Finish() {
  Flush();
  if (error_ == 0) return absl::OkStatus();
  return absl::InternalError(
      fmt::format("cannot write to standard output: {}", std::strerror(error_)));
}

void Output::Check(bool good) {
  if (good) return;
  closed_ = true;
  if (errno != EPIPE) error_ = errno;
}

std::string CsvField(std::string_view text) {
  const std::string plain = report::Printable(text);
  if (plain.find_first_of(",\"") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string NumberText(double value) { return fmt::format("{}", value); }

}  // namespace regressd::ctl
