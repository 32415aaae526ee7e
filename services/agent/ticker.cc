#include "services/agent/ticker.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace regressd::agent {
namespace {

timespec ToTimespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

Ticker::Ticker(std::chrono::milliseconds interval, const RunClock& clock)
    : clock_(clock),
      start_(std::chrono::steady_clock::now()),
      interval_(interval),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  itimerspec setting = {};
  setting.it_value = ToTimespec(start_.time_since_epoch() + interval_);
  setting.it_interval = ToTimespec(interval_);
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

std::optional<Tick> Ticker::Wait(const WakeEvent& stop) {
  for (;;) {
    std::array<pollfd, 2> polled = {pollfd{.fd = stop.fd(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = timer_.get(), .events = POLLIN, .revents = 0}};
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return std::nullopt;
    if ((polled[0].revents & POLLIN) != 0) return std::nullopt;
    std::uint64_t expired = 0;
    if (read(timer_.get(), &expired, sizeof expired) != sizeof expired) continue;
    turn_count_ += static_cast<std::int64_t>(expired);
    const auto late = std::chrono::steady_clock::now() - (start_ + turn_count_ * interval_);
    return Tick{.time = Now(),
                .lateness = std::chrono::duration_cast<std::chrono::microseconds>(late),
                .missed_count = static_cast<std::int64_t>(expired) - 1};
  }
}

}  // namespace regressd::agent
