#pragma once

#include <string>

namespace regressd {

/// Sends the log to standard error from `level` ("debug", "info", "warning", "error") on, as text
/// or as one JSON object a line {"time", "level", "message"}; "auto" is text on a terminal. What
/// gRPC and protobuf log goes the same way. Before there are threads.
void SetUpLogging(const std::string& level, const std::string& format);

/// One log line as a JSON object, without a line end. Bytes that are not UTF-8 are replaced.
std::string JsonLine(const std::string& time, const std::string& level, const std::string& message);

}  // namespace regressd
