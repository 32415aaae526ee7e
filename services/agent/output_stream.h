#pragma once

namespace regressd::agent {

/// One of a command's two outputs.
enum class OutputStream { kStdout, kStderr };

}  // namespace regressd::agent
