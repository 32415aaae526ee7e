#pragma once

#include <chrono>
#include <thread>

namespace regressd {

/// SIGINT and SIGTERM, taken where we choose instead of interrupting anything. Made before any
/// thread exists: it blocks them for this thread and all that come. SIGPIPE is ignored. One thread.
class TerminationSignal {
 public:
  TerminationSignal();

  /// Waits for the first signal. Returns at once when one came.
  void Wait();
  /// Waits for a signal as long as `timeout`; whether one came by now.
  bool WaitFor(std::chrono::milliseconds timeout);

 private:
  bool came_ = false;
};

/// While it lives, another signal, or `limit` passing by, ends the process at once with status 1:
/// shutting down must not hang.
class ShutdownLimit {
 public:
  explicit ShutdownLimit(std::chrono::milliseconds limit);

 private:
  std::jthread watching_;
};

}  // namespace regressd
