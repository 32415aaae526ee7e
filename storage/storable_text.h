#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace regressd::storage {

/// PostgreSQL's text holds any UTF-8 without NUL; a NUL would cut a parameter short unseen.
/// Errors: InvalidArgument when `text` is not so; `what` names its place in the message.
absl::Status CheckStorable(std::string_view what, std::string_view text);

}  // namespace regressd::storage
