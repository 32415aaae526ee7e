#include "services/agent/setup/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "services/agent/unique_fd.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

/// What the system said, and for a right that is missing how to get it.
std::string Explain(std::string_view what, int error) {
  std::string text = std::strerror(error);
  if (const char* name = strerrorname_np(error)) text += fmt::format(" ({})", name);
  if (error == EROFS) {
    return text +
           "; it is mounted read-only here, as in a container: run on the host, or in a "
           "container with --privileged";
  }
  if (error != EACCES && error != EPERM) return text;
  const bool swaps = what.find("swap") != std::string_view::npos;
  const char* capability = swaps ? "CAP_SYS_ADMIN" : "root, or CAP_DAC_OVERRIDE";
  if (geteuid() != 0) {
    return text + fmt::format("; it needs {}: sudo regress-agent run ...", capability);
  }
  return text + fmt::format(
                    "; root here lacks {}, as in a container: run on the host, or in a "
                    "container with --privileged",
                    swaps ? "CAP_SYS_ADMIN" : "the right to it");
}

/// Whether the text of /proc/swaps has this path, in whose names a blank is \040.
bool IsListed(std::string_view swaps, const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  std::string name;
  for (const char c : (error ? path : real).string())
    name += c == ' ' ? "\\040" : std::string(1, c);
  for (std::size_t at = 0; (at = swaps.find(name, at)) != std::string_view::npos; ++at) {
    const bool begins = at == 0 || swaps[at - 1] == '\n';
    const std::size_t end = at + name.size();
    // The kernel marks a file that was removed.
    const std::string_view rest = swaps.substr(end);
    if (begins && (rest.empty() || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\\'))
      return true;
  }
  return false;
}

}  // namespace

absl::Status SystemFailure(std::string_view what, const fs::path& path, int error) {
  const std::string message =
      fmt::format("cannot {} {}: {}", what, path.string(), Explain(what, error));
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOENT:
      return absl::NotFoundError(message);
    case EINVAL:
    case ERANGE:
      return absl::InvalidArgumentError(message);
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
      return absl::ResourceExhaustedError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EBUSY:
    case ENOTEMPTY:
      return absl::FailedPreconditionError(message);
    default:
      return absl::UnavailableError(message);
  }
}

fs::path Machine::At(std::string_view absolute_path) const {
  return root_ / fs::path(absolute_path).relative_path();
}

absl::StatusOr<std::string> Machine::Read(const fs::path& path) const {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return SystemFailure("read", path, errno);
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemFailure("read", path, errno);
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

absl::Status Machine::Write(const fs::path& path, std::string_view text) const {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file.valid()) return SystemFailure("write", path, errno);
  ssize_t written = 0;
  do {
    written = write(file.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) return absl::OkStatus();
  return SystemFailure(fmt::format("write \"{}\" to", text), path, written < 0 ? errno : EIO);
}

bool Machine::Exists(const fs::path& path) const {
  std::error_code error;
  return fs::exists(path, error);
}

absl::Status Machine::MakeDirectory(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) == 0) return absl::OkStatus();
  return SystemFailure("make", path, errno);
}

absl::Status Machine::RemoveDirectory(const fs::path& path) {
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return SystemFailure("remove", path, errno);
}

absl::Status Machine::SwapOn(const fs::path& path, int priority) {
  const int flags = SWAP_FLAG_PREFER | (priority & SWAP_FLAG_PRIO_MASK);
  if (swapon(path.c_str(), flags) == 0) return absl::OkStatus();
  return SystemFailure("swap on", path, errno);
}

absl::Status Machine::SwapOff(const fs::path& path) {
  // Asked first, since a plain user is refused whatever it is.
  if (!IsListed(Read(At("/proc/swaps")).value_or(""), path)) return absl::OkStatus();
  // EINVAL: it is there and no swap space; ENOENT: it is not there.
  if (swapoff(path.c_str()) == 0 || errno == EINVAL || errno == ENOENT) return absl::OkStatus();
  return SystemFailure("swap off", path, errno);
}

void Machine::Kill(pid_t pid) { kill(pid, SIGKILL); }

void Machine::Sync() { sync(); }

std::string Machine::BootId() const {
  return Read(At("/proc/sys/kernel/random/boot_id")).value_or("");
}

}  // namespace regressd::agent
