#pragma once

#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// SIGINT, SIGTERM and SIGHUP as something to poll for. Make it before any thread exists: it blocks
/// them for the calling thread and all that come later. One thread.
class TerminationSignal {
 public:
  TerminationSignal();

  /// Readable when a signal waits to be taken.
  int fd() const { return fd_.get(); }
  /// The signal that waits, or 0. Never blocks.
  int Take();
  /// The last one taken, or 0.
  int last() const { return last_; }

 private:
  UniqueFd fd_;
  int last_ = 0;
};

}  // namespace regressd::agent
