#pragma once

#include <chrono>

namespace regressd::model {

/// An instant of a wall clock, microseconds since 1970 UTC: the resolution of PostgreSQL and of every monitor.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace regressd::model
