#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace regressd::common {

/// One wrong field of a request: its path ("columns[1].commit"), and what is wrong with it and what
/// to do.
struct FieldViolation {
  std::string field;
  std::string description;
};

/// The cause of an error, for programs. `reason` is UPPER_SNAKE_CASE and constant for one cause.
struct ErrorInfo {
  std::string reason;
  std::map<std::string, std::string> metadata;
};

/// InvalidArgument whose message names the first violations and whose payload has all of them.
/// `violations` is not empty.
absl::Status InvalidFields(const std::vector<FieldViolation>& violations);

/// The same for one field.
absl::Status InvalidField(std::string_view field, std::string_view description);

/// Attaches `info` to a status that is not OK; ToGrpc sends it with domain "regressd".
absl::Status WithErrorInfo(absl::Status status, const ErrorInfo& info);

/// What was attached; also to a status that came over the wire.
std::vector<FieldViolation> FieldViolationsOf(const absl::Status& status);
std::optional<ErrorInfo> ErrorInfoOf(const absl::Status& status);

}  // namespace regressd::common
