#include "services/ctl/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "services/report/text.h"

namespace regressd::ctl {
namespace {

// Those of OWASP's "CSV Injection", with their full-width forms; control characters are spelled out
// before.
bool BeginsFormula(std::string_view text) {
  for (const std::string_view sign : {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
    if (text.starts_with(sign)) return true;
  }
  return false;
}

}  // namespace

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
  std::string field;
  if (BeginsFormula(plain)) field += '\'';
  for (const char c : plain) {
    if (c == '"') field += '"';
    field += c;
  }
  // A semicolon, too: it is what separates fields where the comma is the decimal mark.
  return plain.find_first_of(",;\"") == std::string::npos ? field : '"' + field + '"';
}

std::string NumberText(double value) { return fmt::format("{}", value); }

}  // namespace regressd::ctl
