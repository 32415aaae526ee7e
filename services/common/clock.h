#pragma once

#include <chrono>

#include "services/model/time.h"

namespace regressd::common {

/// Where time comes from. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual model::Time Now() const = 0;
};

class SystemClock : public Clock {
 public:
  model::Time Now() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
};

}  // namespace regressd::common
