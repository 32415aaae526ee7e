#include "tests/bench/held_signals.h"

namespace regressd::bench {
namespace {

constexpr int kHeld[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kHeld) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::waiting() const {
  sigset_t pending;
  sigpending(&pending);
  for (const int signal : kHeld) {
    if (sigismember(&pending, signal) == 1) return true;
  }
  return false;
}

}  // namespace regressd::bench
