#include "storage/child_process.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "absl/cleanup/cleanup.h"
#include "fmt/format.h"

namespace regressd::storage {
namespace {

// Everything that the child needs, made before the fork: after it only async-signal-safe calls are
// allowed.
struct Prepared {
  std::vector<char*> argv;
  const char* directory;
  const UserIds* user;
  int output;
  int failure_pipe;
  int death_signal;
  pid_t parent;
};

enum class Step : int { kSession, kUser, kDirectory, kDescriptors, kExec };

struct Failure {
  Step step;
  int error;
};

[[noreturn]] void Fail(int pipe, Step step) {
  const Failure failure{.step = step, .error = errno};
  [[maybe_unused]] const ssize_t written = write(pipe, &failure, sizeof failure);
  _exit(127);
}

// Nothing of ours may outlive us in the child: an inherited listening socket would keep its port
// taken.
void CloseFrom(int first) {
  if (close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  const long limit = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < limit; ++fd) close(fd);
}

[[noreturn]] void RunChild(const Prepared& prepared) {
  constexpr int kFailureFd = 3;
  // A session of its own: Ctrl-C at the terminal is ours to handle, not the child's.
  if (setsid() < 0) Fail(prepared.failure_pipe, Step::kSession);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  umask(077);
  if (const UserIds* user = prepared.user; user != nullptr) {
    if (setgroups(user->groups.size(), user->groups.data()) != 0 || setgid(user->gid) != 0 ||
        setuid(user->uid) != 0) {
      Fail(prepared.failure_pipe, Step::kUser);
    }
  }
  if (prepared.death_signal != 0) {
    prctl(PR_SET_PDEATHSIG, prepared.death_signal);  // After setuid, which clears it.
    if (getppid() != prepared.parent) _exit(127);
  }
  if (chdir(prepared.directory) != 0) Fail(prepared.failure_pipe, Step::kDirectory);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(prepared.output, STDOUT_FILENO) < 0 ||
      dup2(prepared.output, STDERR_FILENO) < 0 || dup2(prepared.failure_pipe, kFailureFd) < 0 ||
      fcntl(kFailureFd, F_SETFD, FD_CLOEXEC) != 0) {
    Fail(prepared.failure_pipe, Step::kDescriptors);
  }
  CloseFrom(kFailureFd + 1);
  static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  static char locale[] = "LC_ALL=C";
  static char* const environment[] = {path, locale, nullptr};
  execve(prepared.argv.front(), prepared.argv.data(), environment);
  Fail(kFailureFd, Step::kExec);
}

absl::Status Describe(const Failure& failure, const ChildCommand& command) {
  const std::string reason = std::strerror(failure.error);
  const std::string who = command.user ? fmt::format("user {}", command.user->name) : "we";
  const absl::StatusCode code = failure.error == EACCES || failure.error == EPERM
                                    ? absl::StatusCode::kPermissionDenied
                                : failure.error == ENOENT ? absl::StatusCode::kNotFound
                                                          : absl::StatusCode::kInternal;
  switch (failure.step) {
    case Step::kUser:
      return {code, fmt::format("cannot become {}: {}", who, reason)};
    case Step::kDirectory:
      return {code, fmt::format("{} cannot enter {}: {}; choose a directory whose parents are open "
                                "to that user",
                                who, command.working_directory.string(), reason)};
    case Step::kExec:
      return {code, fmt::format("cannot run {}: {}", command.arguments.front(), reason)};
    case Step::kSession:
    case Step::kDescriptors:
      break;
  }
  return {code, fmt::format("cannot prepare {}: {}", command.arguments.front(), reason)};
}

absl::Status SystemError(const std::string& what) {
  return absl::InternalError(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

absl::StatusOr<UserIds> LookUpUser(const std::string& name) {
  std::array<char, 16384> buffer;
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return absl::NotFoundError(fmt::format("there is no user {}", name));
  }
  UserIds ids{.name = name, .uid = entry.pw_uid, .gid = entry.pw_gid, .groups = {}};
  int count = 64;
  ids.groups.resize(static_cast<std::size_t>(count));
  if (getgrouplist(name.c_str(), entry.pw_gid, ids.groups.data(), &count) < 0) {
    return absl::InternalError(fmt::format("user {} is in too many groups", name));
  }
  ids.groups.resize(static_cast<std::size_t>(count));
  return ids;
}

absl::StatusOr<pid_t> Spawn(const ChildCommand& command) {
  const int output = open(command.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (output < 0) return SystemError(fmt::format("cannot open {}", command.output.string()));
  const absl::Cleanup close_output = [&] { close(output); };
  std::array<int, 2> failure_pipe{};
  if (pipe2(failure_pipe.data(), O_CLOEXEC) != 0) return SystemError("cannot make a pipe");
  const absl::Cleanup close_read_end = [&] { close(failure_pipe[0]); };

  Prepared prepared{.argv = {},
                    .directory = command.working_directory.c_str(),
                    .user = command.user ? &*command.user : nullptr,
                    .output = output,
                    .failure_pipe = failure_pipe[1],
                    .death_signal = command.signal_when_parent_dies,
                    .parent = getpid()};
  for (const std::string& argument : command.arguments) {
    prepared.argv.push_back(const_cast<char*>(argument.c_str()));
  }
  prepared.argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) RunChild(prepared);
  close(failure_pipe[1]);
  if (child < 0) return SystemError("cannot fork");

  // The pipe closes by itself when exec succeeds.
  Failure failure{};
  ssize_t got = 0;
  do {
    got = read(failure_pipe[0], &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof failure) {
    Reap(child);
    return Describe(failure, command);
  }
  return child;
}

bool HasEnded(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

void AwaitEnd(pid_t child) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

std::string Reap(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return "unknown end";
  }
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

std::vector<pid_t> ProcessesIn(const std::filesystem::path& directory, const std::string& program) {
  std::vector<pid_t> pids;
  std::error_code error;
  const std::filesystem::path wanted = std::filesystem::canonical(directory, error);
  if (error) return pids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc{} || end != name.data() + name.size()) continue;
    // Both links are unreadable for other users' processes, and for those that just ended.
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path() / "cwd", ignored) != wanted) continue;
    std::string executable =
        std::filesystem::read_symlink(entry.path() / "exe", ignored).filename().string();
    executable = executable.substr(0, executable.find(" (deleted)"));  // After a package upgrade.
    if (executable == program) pids.push_back(pid);
  }
  return pids;
}

std::string Tail(const std::filesystem::path& file, std::uintmax_t offset) {
  constexpr std::uintmax_t kMaxBytes = 2000;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size <= offset) return "(it wrote nothing)";
  const std::uintmax_t start = size - offset > kMaxBytes ? size - kMaxBytes : offset;
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(start));
  std::string text(kMaxBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace regressd::storage
