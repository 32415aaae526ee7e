#include "services/agent/workloads/guarded_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace regressd::agent {
namespace {

/// The guard's life. `path` is removed until it is gone for good: a killed workload's own children
/// may still write into it for a moment.
[[noreturn]] void Guard(int alive_fd, const std::filesystem::path& path) {
  setsid();  // Signals for the workload's group are not for the guard.
  // Others wait for the end of the workload's output, which must not wait for the guard.
  dup2(alive_fd, 0);
  syscall(SYS_close_range, 1U, ~0U, 0U);
  char byte = 0;
  while (read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  // Tasks of a killed workload may still make files for a moment, and nothing tells of their end.
  for (int i = 0; i < 100; ++i) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (!error && !std::filesystem::exists(path, error)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  _exit(0);
}

}  // namespace

absl::StatusOr<GuardedDirectory> GuardedDirectory::Create(const std::filesystem::path& parent) {
  absl::StatusOr<PrivateDirectory> directory = PrivateDirectory::Create(parent);
  if (!directory.ok()) return directory.status();
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return absl::UnavailableError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  const UniqueFd read_end(ends[0]);
  UniqueFd alive(ends[1]);
  const pid_t guard = fork();
  if (guard < 0) {
    return absl::UnavailableError(fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (guard == 0) Guard(read_end.get(), directory->path());
  return GuardedDirectory(*std::move(directory), std::move(alive), guard);
}

GuardedDirectory::GuardedDirectory(GuardedDirectory&& other) noexcept
    : directory_(std::move(other.directory_)),
      alive_(std::move(other.alive_)),
      guard_(std::exchange(other.guard_, -1)) {}

GuardedDirectory::~GuardedDirectory() {
  if (guard_ < 0) return;
  alive_.Reset();
  waitpid(guard_, nullptr, 0);
}

}  // namespace regressd::agent
