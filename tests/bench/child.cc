#include "tests/bench/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace regressd::bench {
namespace {

/// Between fork and exec: only calls that are safe there.
bool JoinCgroup(const char* procs_path) {
  const int procs = open(procs_path, O_WRONLY | O_CLOEXEC);
  return procs >= 0 && write(procs, "0", 1) == 1;
}

}  // namespace

absl::StatusOr<Child> Child::Start(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment,
                                   const std::string& output_file, const std::string& cgroup) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::string procs_path = cgroup.empty() ? "" : cgroup + "/cgroup.procs";
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return absl::InternalError(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (!procs_path.empty() && !JoinCgroup(procs_path.c_str())) _exit(126);
    const int out = open(output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (out >= 0) {
      dup2(out, STDOUT_FILENO);
      dup2(out, STDERR_FILENO);
    }
    for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
    execv(argv[0], argv.data());
    _exit(127);
  }
  return Child(pid);
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

Child::~Child() {
  if (pid_ != 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

bool Child::running() {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

Child::Exit Child::Wait() {
  Exit exit;
  wait4(pid_, &exit.status, 0, &exit.usage);
  pid_ = 0;
  return exit;
}

Child::Exit Child::Stop() {
  kill(pid_, SIGTERM);
  return Wait();
}

}  // namespace regressd::bench
