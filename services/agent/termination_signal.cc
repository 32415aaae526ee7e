#include "services/agent/termination_signal.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace regressd::agent {

TerminationSignal::TerminationSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  fd_ = UniqueFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

int TerminationSignal::Take() {
  signalfd_siginfo info = {};
  if (read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return 0;
  last_ = static_cast<int>(info.ssi_signo);
  return last_;
}

}  // namespace regressd::agent
