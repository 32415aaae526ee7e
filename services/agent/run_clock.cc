#include "services/agent/run_clock.h"

#include <algorithm>

namespace regressd::agent {
namespace {

using Steady = std::chrono::steady_clock;

// A machine that swaps may stop us between two looks at two clocks; such a look says nothing.
constexpr std::chrono::milliseconds kLongLook{1};
constexpr int kMaxLooks = 50;

}  // namespace

model::Time WallNow() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

RunClock::RunClock() : start_(Steady::now()), start_time_(WallNow()) {}

model::Time RunClock::Now() const {
  return start_time_ +
         std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - start_);
}

std::chrono::microseconds RunClock::WallAhead() const {
  Steady::duration shortest = Steady::duration::max();
  std::chrono::microseconds ahead{0};
  for (int i = 0; i < kMaxLooks && shortest > kLongLook; ++i) {
    const Steady::time_point before = Steady::now();
    const model::Time wall = WallNow();
    const Steady::duration look = Steady::now() - before;
    if (look >= shortest) continue;
    shortest = look;
    ahead = wall - start_time_ -
            std::chrono::duration_cast<std::chrono::microseconds>(before + look / 2 - start_);
  }
  return ahead;
}

}  // namespace regressd::agent
