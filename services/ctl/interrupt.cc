#include "services/ctl/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace regressd::ctl {
namespace {

constexpr char kSignalled = 's';
constexpr char kStop = 'q';

// A handler gets no argument of ours, so the pipe's end has to stand where it can find it.
std::atomic<int> signal_pipe = -1;

void WriteByte(int fd, char byte) {
  // A full pipe already holds what there is to say.
  while (::write(fd, &byte, 1) < 0 && errno == EINTR) {
  }
}

extern "C" void OnSignal(int) {
  const int saved_errno = errno;
  WriteByte(signal_pipe, kSignalled);
  errno = saved_errno;
}

}  // namespace

Interrupt::Interrupt(std::function<void()> on_interrupt) : on_interrupt_(std::move(on_interrupt)) {
  if (::pipe2(pipe_.data(), O_CLOEXEC) != 0) std::abort();
  signal_pipe = pipe_[1];
  thread_ = std::thread([this] { Listen(); });
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
  WriteByte(pipe_[1], kStop);
  thread_.join();
  signal_pipe = -1;
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

bool Interrupt::WaitFor(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return came_.wait_for(lock, limit, [this] { return happened_; });
}

void Interrupt::Listen() {
  while (true) {
    char byte = 0;
    const ssize_t size = ::read(pipe_[0], &byte, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || byte == kStop) return;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(happened_, true)) continue;
    }
    came_.notify_all();
    on_interrupt_();
  }
}

}  // namespace regressd::ctl
