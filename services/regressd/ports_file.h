#pragma once

#include <string>

#include "absl/status/status.h"

namespace regressd {

struct Ports {
  int grpc = 0;
  int http = 0;
};

/// Writes {"grpc_port": ..., "http_port": ..., "pid": ...} to `path`, whole or not at all. Errors:
/// Internal.
absl::Status WritePortsFile(const std::string& path, const Ports& ports);

}  // namespace regressd
