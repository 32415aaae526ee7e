#pragma once

#include <csignal>

namespace regressd::bench {

/// Holds back SIGINT, SIGTERM and SIGHUP for its life, so that what was changed on the machine is
/// put back first; a signal that came meanwhile strikes when the object goes. One thread, the only.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// One of them came.
  bool waiting() const;

 private:
  sigset_t before_;
};

}  // namespace regressd::bench
