#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace regressd::common {

/// Checks the form of a server's address before a connection is tried: "host:port" with a port of 1
/// to 65535, "[IPv6]:port", "unix:path", "unix-abstract:name", or the first two behind "dns:///".
/// Nothing is looked up.
/// Errors: InvalidArgument, saying what is wrong and what is expected.
absl::Status CheckServerAddress(std::string_view address);

}  // namespace regressd::common
