#include "services/regressd/termination_signal.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "spdlog/spdlog.h"

namespace regressd {
namespace {

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

bool Await(std::chrono::milliseconds timeout) {
  const sigset_t set = Signals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec wait{.tv_sec = seconds.count(),
                      .tv_nsec = std::chrono::nanoseconds(timeout - seconds).count()};
  return sigtimedwait(&set, nullptr, &wait) > 0;
}

}  // namespace

TerminationSignal::TerminationSignal() {
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void TerminationSignal::Wait() {
  while (!WaitFor(std::chrono::hours(1))) {
  }
}

bool TerminationSignal::WaitFor(std::chrono::milliseconds timeout) {
  if (!came_) came_ = Await(timeout);
  return came_;
}

ShutdownLimit::ShutdownLimit(std::chrono::milliseconds limit)
    : watching_([limit](std::stop_token done) {
        constexpr std::chrono::milliseconds kTick{50};
        const auto give_up = std::chrono::steady_clock::now() + limit;
        while (!done.stop_requested()) {
          const bool again = Await(kTick);
          if (!again && std::chrono::steady_clock::now() < give_up) continue;
          spdlog::critical("{}; ending at once",
                           again ? "another signal" : "shutting down takes too long");
          spdlog::default_logger()->flush();
          _exit(1);  // The kernel stops our PostgreSQL, and what was acknowledged is on disk.
        }
      }) {}

}  // namespace regressd
