#include "services/ctl/read_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;  // NOLINT: POSIX declares it nowhere.

namespace regressd::ctl {
namespace {

constexpr std::size_t kMostErrorBytes = 4096;

class UniqueFd {
 public:
  UniqueFd() = default;
  ~UniqueFd() { Reset(); }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;

  void Reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

bool Open(Pipe* pipe) {
  std::array<int, 2> fds;
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return false;
  pipe->read.Reset(fds[0]);
  pipe->write.Reset(fds[1]);
  return true;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment() {
  std::vector<std::string> variables = {"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.emplace_back(*variable);
  }
  return variables;
}

int Spawn(const std::vector<std::string>& arguments, const Pipe& out, const Pipe& error,
          pid_t* pid) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, error.write.get(), STDERR_FILENO);
  // This process ignores SIGPIPE; its children must not inherit that.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const std::vector<std::string> variables = Environment();
  const int failure = ::posix_spawnp(pid, arguments[0].c_str(), &actions, &attributes,
                                     Pointers(arguments).data(), Pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return failure;
}

// Reads both pipes until the program has closed them; both, so that neither fills up and blocks it.
absl::Status Drain(Pipe* out, Pipe* error,
                   const std::function<absl::Status(std::string_view)>& take, std::string* said) {
  std::array<char, 65536> buffer;
  while (out->read.get() >= 0 || error->read.get() >= 0) {
    std::array<pollfd, 2> polls = {pollfd{out->read.get(), POLLIN, 0},
                                   pollfd{error->read.get(), POLLIN, 0}};
    if (::poll(polls.data(), polls.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return absl::InternalError(fmt::format("poll: {}", std::strerror(errno)));
    }
    for (const pollfd& ready : polls) {
      if (ready.revents == 0) continue;
      const ssize_t size = ::read(ready.fd, buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      const bool is_out = ready.fd == out->read.get();
      if (size <= 0) {
        (is_out ? out : error)->read.Reset();
        continue;
      }
      const std::string_view part(buffer.data(), static_cast<std::size_t>(size));
      if (!is_out) {
        said->append(part.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, said->size())));
        continue;
      }
      if (absl::Status status = take(part); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadCommand(const std::vector<std::string>& arguments,
                         const std::function<absl::Status(std::string_view)>& take) {
  Pipe out;
  Pipe error;
  if (!Open(&out) || !Open(&error)) {
    return absl::InternalError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  pid_t pid = -1;
  if (const int failure = Spawn(arguments, out, error, &pid); failure != 0) {
    const std::string message =
        fmt::format("cannot run {}: {}", arguments[0], std::strerror(failure));
    return failure == ENOENT ? absl::NotFoundError(message + "; install it")
                             : absl::InternalError(message);
  }
  out.write.Reset();
  error.write.Reset();
  std::string said;
  const absl::Status drained = Drain(&out, &error, take, &said);
  if (!drained.ok()) ::kill(pid, SIGTERM);
  out.read.Reset();
  error.read.Reset();
  int state = 0;
  while (::waitpid(pid, &state, 0) < 0 && errno == EINTR) {
  }
  if (!drained.ok()) return drained;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return absl::OkStatus();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return absl::InvalidArgumentError(
      fmt::format("{} failed: {}", arguments[0], said.empty() ? "it said nothing" : said));
}

}  // namespace regressd::ctl
