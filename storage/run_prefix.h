#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::storage {

/// What a person typed of a run's UUID as the begin of its stored form: lower case, dashes in their
/// places. Errors: InvalidArgument when it has fewer than 4 digits, or is no part of a UUID.
absl::StatusOr<std::string> NormalRunPrefix(std::string_view typed);

/// OK when `uuids`, those that begin with what was typed, is one.
/// Errors: NotFound for none; InvalidArgument for several, with some of them.
absl::Status CheckOneRun(std::string_view typed, std::span<const std::string> uuids);

/// Errors: InvalidArgument when a reason or name is missing or cannot be stored.
absl::Status CheckExclusion(std::string_view reason, std::string_view excluded_by);

}  // namespace regressd::storage
