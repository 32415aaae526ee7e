#include "services/agent/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

extern char** environ;

namespace regressd::agent {
namespace {

constexpr unsigned kCloseRangeCloexec = 1U << 2;

/// Everything that the child needs, made before fork: between fork and exec nothing may allocate.
struct Prepared {
  std::vector<std::string> environment_texts;
  std::vector<char*> arguments;
  std::vector<char*> environment;
};

Prepared Prepare(const ChildOptions& options) {
  Prepared prepared;
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  for (const auto& [name, value] : options.environment) variables[name] = value;
  for (const auto& [name, value] : variables) {
    prepared.environment_texts.push_back(name + "=" + value);
  }
  for (std::string& text : prepared.environment_texts) {
    prepared.environment.push_back(text.data());
  }
  prepared.environment.push_back(nullptr);
  for (const std::string& argument : options.arguments) {
    prepared.arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  prepared.arguments.push_back(nullptr);
  return prepared;
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

absl::StatusOr<Pipe> MakePipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return absl::UnavailableError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return Pipe{.read_end = UniqueFd(ends[0]), .write_end = UniqueFd(ends[1])};
}

/// What a child that could not become its program tells its parent.
struct Failure {
  int error = 0;
  bool of_cgroup = false;  ///< Otherwise of exec.
};

[[noreturn]] void Report(const Failure& failure, int error_fd) {
  [[maybe_unused]] const ssize_t written = write(error_fd, &failure, sizeof failure);
  _exit(127);
}

/// Descriptors that the child uses between fork and exec.
struct ChildFds {
  int null;
  int out;
  int err;
  int error;         ///< Takes a Failure.
  int cgroup_procs;  ///< Or -1.
};

/// In the child, after fork: only system calls. Reports a failure of exec through `fds.error`.
[[noreturn]] void Become(const ChildOptions& options, const Prepared& prepared, pid_t parent,
                         const ChildFds& fds) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // The parent died before the line above took effect.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_DFL);  // A shell without job control ignores it for all it starts with "&".
  // 0 stands for the writer itself, in v1 and v2: nothing that the command does can come before.
  if (fds.cgroup_procs >= 0 && write(fds.cgroup_procs, "0", 1) != 1) {
    Report({.error = errno, .of_cgroup = true}, fds.error);
  }
  if (!options.inherit_stdin) dup2(fds.null, STDIN_FILENO);
  dup2(fds.out, STDOUT_FILENO);
  dup2(fds.err, STDERR_FILENO);
  syscall(SYS_close_range, 3U, ~0U, kCloseRangeCloexec);
  if (options.nice != 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + options.nice);
  execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
  Report({.error = errno}, fds.error);
}

/// The error of Start for what the child reported.
absl::Status StatusOf(const Failure& failure, const ChildOptions& options) {
  if (failure.of_cgroup) {
    return absl::UnavailableError(fmt::format("cannot join the cgroup {}: {}",
                                              options.cgroup_directory.string(),
                                              std::strerror(failure.error)));
  }
  const std::string message = fmt::format("cannot execute \"{}\": {}", options.arguments.front(),
                                          std::strerror(failure.error));
  if (failure.error == ENOENT || failure.error == ENOTDIR) return absl::NotFoundError(message);
  if (failure.error == EACCES) return absl::PermissionDeniedError(message);
  return absl::UnavailableError(message);
}

ChildExit MakeExit(int wait_status, const rusage& usage) {
  ChildExit result;
  result.usage = usage;
  if (WIFSIGNALED(wait_status)) {
    result.exit_status = -1;
    result.term_signal = WTERMSIG(wait_status);
  } else {
    result.exit_status = WEXITSTATUS(wait_status);
  }
  return result;
}

}  // namespace

std::string ChildExit::Describe() const {
  if (term_signal != 0) {
    return fmt::format("killed by signal {} ({})", term_signal, strsignal(term_signal));
  }
  return fmt::format("exit status {}", exit_status);
}

absl::StatusOr<ChildProcess> ChildProcess::Start(const ChildOptions& options) {
  if (options.arguments.empty() || options.arguments.front().empty()) {
    return absl::InvalidArgumentError("no command");
  }
  const Prepared prepared = Prepare(options);
  absl::StatusOr<Pipe> out = MakePipe();
  absl::StatusOr<Pipe> err = MakePipe();
  absl::StatusOr<Pipe> error = MakePipe();
  UniqueFd null_fd(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!out.ok()) return out.status();
  if (!err.ok()) return err.status();
  if (!error.ok()) return error.status();
  UniqueFd cgroup_procs;
  if (!options.cgroup_directory.empty()) {
    const std::filesystem::path path = options.cgroup_directory / "cgroup.procs";
    cgroup_procs = UniqueFd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!cgroup_procs.valid()) {
      return absl::UnavailableError(
          fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
    }
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    return absl::UnavailableError(fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    Become(options, prepared, parent,
           {.null = null_fd.get(),
            .out = options.pipe_stdout ? out->write_end.get() : null_fd.get(),
            .err = options.pipe_stderr ? err->write_end.get() : null_fd.get(),
            .error = error->write_end.get(),
            .cgroup_procs = cgroup_procs.get()});
  }
  setpgid(pid, pid);  // In both, so that a signal to the group cannot come too early.
  out->write_end.Reset();
  err->write_end.Reset();
  error->write_end.Reset();
  ChildProcess child;
  child.pid_ = pid;
  child.exit_fd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  Failure failure;
  ssize_t got = 0;
  do {
    got = read(error->read_end.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) return StatusOf(failure, options);
  if (options.pipe_stdout) child.out_ = std::move(out->read_end);
  if (options.pipe_stderr) child.err_ = std::move(err->read_end);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      waited_(std::exchange(other.waited_, true)),
      exit_(other.exit_),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      exit_fd_(std::move(other.exit_fd_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0 || waited_) return;
  Signal(SIGKILL);
  WaitOrKill(std::chrono::milliseconds(0));
}

void ChildProcess::Signal(int signal_number) const {
  if (pid_ > 0) kill(-pid_, signal_number);
}

std::optional<ChildExit> ChildProcess::TryWait() {
  if (waited_) return exit_;
  int wait_status = 0;
  rusage usage = {};
  if (wait4(pid_, &wait_status, WNOHANG, &usage) != pid_) return std::nullopt;
  waited_ = true;
  exit_ = MakeExit(wait_status, usage);
  return exit_;
}

ChildExit ChildProcess::WaitOrKill(std::chrono::milliseconds timeout) {
  if (waited_) return exit_;
  pollfd polled = {.fd = exit_fd_.get(), .events = POLLIN, .revents = 0};
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (const std::optional<ChildExit> end = TryWait()) return *end;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    poll(&polled, 1, static_cast<int>(left.count()));
  }
  Signal(SIGKILL);
  int wait_status = 0;
  rusage usage = {};
  while (wait4(pid_, &wait_status, 0, &usage) < 0 && errno == EINTR) {
  }
  waited_ = true;
  exit_ = MakeExit(wait_status, usage);
  return exit_;
}

absl::StatusOr<CapturedOutput> Capture(std::vector<std::string> arguments,
                                       const CaptureOptions& options) {
  const std::string program = arguments.empty() ? "" : arguments.front();
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(
      {.arguments = std::move(arguments), .environment = {{"LC_ALL", "C"}, {"TZ", "UTC"}}});
  if (!child.ok()) return child.status();
  CapturedOutput output;
  std::string& errors = options.separate_errors ? output.errors : output.text;
  const auto deadline = std::chrono::steady_clock::now() + options.timeout;
  std::array<pollfd, 3> polled = {
      pollfd{.fd = child->out().get(), .events = POLLIN, .revents = 0},
      pollfd{.fd = child->err().get(), .events = POLLIN, .revents = 0},
      pollfd{.fd = options.interrupt_fd, .events = POLLIN, .revents = 0}};
  std::array<char, 16384> buffer;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return absl::DeadlineExceededError(
          fmt::format("{} did not end within {} ms", program, options.timeout.count()));
    }
    poll(polled.data(), polled.size(), static_cast<int>(left.count()));
    if (polled[2].revents != 0) {
      return absl::CancelledError(fmt::format("interrupted while {} ran", program));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      pollfd& entry = polled[i];
      if (entry.fd < 0 || entry.revents == 0) continue;
      const ssize_t got = read(entry.fd, buffer.data(), buffer.size());
      if (got > 0) {
        (i == 0 ? output.text : errors).append(buffer.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        entry.fd = -1;
      }
    }
  }
  output.exit = child->WaitOrKill(std::chrono::milliseconds(1000));
  return output;
}

absl::StatusOr<CapturedOutput> Capture(std::vector<std::string> arguments,
                                       std::chrono::milliseconds timeout) {
  return Capture(std::move(arguments), CaptureOptions{.timeout = timeout});
}

}  // namespace regressd::agent
