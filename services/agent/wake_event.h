#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// A flag that can be polled for: once set it stays set. Thread-safe.
class WakeEvent {
 public:
  WakeEvent() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void Set() {
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then it is set already.
    [[maybe_unused]] const ssize_t written = write(fd_.get(), &one, sizeof one);
  }
  /// Readable once set.
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace regressd::agent
