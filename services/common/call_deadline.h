#pragma once

#include <chrono>

namespace regressd::common {

/// The deadline of the call that a thread works for, so that statements deep below end with it. A
/// handler sets it for its own thread; whoever waits outward asks TimeLeft. Nested ones only
/// shorten it. One thread: the one that made it.
class CallDeadline {
 public:
  explicit CallDeadline(std::chrono::system_clock::time_point deadline);
  ~CallDeadline();
  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

  /// How long this thread may wait for something that may take `limit`: less when its call ends
  /// sooner, at least 1 ms.
  static std::chrono::milliseconds TimeLeft(std::chrono::milliseconds limit);

 private:
  std::chrono::system_clock::time_point outer_;
};

}  // namespace regressd::common
