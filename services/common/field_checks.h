#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "services/common/error_details.h"

namespace regressd::common {

/// "run" and "commit" give "run.commit"; an empty part is left out.
std::string JoinPath(std::string_view path, std::string_view field);
/// "axes" and 2 give "axes[2]".
std::string IndexPath(std::string_view path, int index);

/// Gathers everything that is wrong with one message. Field names are relative to `path`. One
/// thread.
class FieldChecks {
 public:
  explicit FieldChecks(std::string_view path) : path_(path) {}

  void Fail(std::string_view field, std::string_view description);
  /// Takes over the violations of a part, or its message under `field`.
  void Merge(std::string_view field, const absl::Status& status);

  /// UTF-8, one line without control characters, at most `max_bytes`.
  void Line(std::string_view field, std::string_view text, std::size_t max_bytes);
  /// As Line, and not empty.
  void Name(std::string_view field, std::string_view text, std::size_t max_bytes);
  /// UTF-8 without NUL, any number of lines, at most `max_bytes`.
  void Text(std::string_view field, std::string_view text, std::size_t max_bytes);
  void Range(std::string_view field, std::int64_t value, std::int64_t min, std::int64_t max);
  void Count(std::string_view field, int count, int max);
  /// Not NaN, not infinite.
  void Finite(std::string_view field, double value);

  bool ok() const { return violations_.empty(); }
  /// The path of a field as it is reported.
  std::string PathOf(std::string_view field) const { return JoinPath(path_, field); }
  /// OK, or InvalidArgument with all violations.
  absl::Status status() const;

 private:
  std::string path_;
  std::vector<FieldViolation> violations_;
};

}  // namespace regressd::common
