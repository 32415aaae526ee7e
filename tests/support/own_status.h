#pragma once

#include <string>

#include "absl/status/status.h"

namespace regressd::test {

/// A copy that shares nothing with `status`. For fakes that hand one status to several threads:
/// copies share a counter that the system's Abseil keeps, and ThreadSanitizer cannot see into that
/// library.
inline absl::Status OwnStatus(const absl::Status& status) {
  return absl::Status(status.code(), std::string(status.message()));
}

}  // namespace regressd::test
