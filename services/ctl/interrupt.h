#pragma once

#include <signal.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace regressd::ctl {

/// While it lives, SIGINT and SIGTERM do not end the program but make one call, on a thread of its
/// own. At most one object at a time.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> on_interrupt);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Waits for a signal, at most so long. True when one has come.
  bool WaitFor(std::chrono::milliseconds limit);

 private:
  void Listen();

  const std::function<void()> on_interrupt_;
  std::array<int, 2> pipe_ = {-1, -1};
  struct sigaction old_interrupt_ = {};
  struct sigaction old_terminate_ = {};
  std::mutex mutex_;
  std::condition_variable came_;
  bool happened_ = false;  ///< Guarded by mutex_.
  std::thread thread_;
};

}  // namespace regressd::ctl
