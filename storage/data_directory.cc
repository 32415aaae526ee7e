#include "storage/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "fmt/format.h"

namespace regressd::storage {
namespace {

namespace fs = std::filesystem;

absl::Status SystemError(const std::string& what) {
  const int error = errno;
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  return {denied ? absl::StatusCode::kPermissionDenied : absl::StatusCode::kInternal,
          fmt::format("{}: {}", what, std::strerror(error))};
}

absl::StatusOr<fs::path> MakeTop(const fs::path& path, const std::optional<UserIds>& owner) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const bool existed = fs::exists(absolute, error);
  fs::create_directories(absolute, error);
  if (error) {
    return absl::PermissionDeniedError(
        fmt::format("cannot make data directory {}: {}; choose another with --data-dir",
                    absolute.string(), error.message()));
  }
  // With an owner other than us he must get through to what is his, and need not see more.
  if (!existed && chmod(absolute.c_str(), owner ? 0711 : 0700) != 0) {
    return SystemError(fmt::format("cannot set the mode of {}", absolute.string()));
  }
  const fs::path canonical = fs::canonical(absolute, error);
  if (error) {
    return absl::PermissionDeniedError(
        fmt::format("cannot enter data directory {}: {}", absolute.string(), error.message()));
  }
  return canonical;
}

std::string ReadPid(int fd) {
  char text[32] = "";
  const ssize_t size = pread(fd, text, sizeof text - 1, 0);
  if (size <= 0) return "unknown";
  std::string pid(text, static_cast<std::size_t>(size));
  return pid.substr(0, pid.find('\n'));
}

absl::StatusOr<int> Lock(const fs::path& directory) {
  // A regressd that was killed a moment ago needs this long at most to be gone.
  constexpr auto kPatience = std::chrono::seconds(3);
  const fs::path file = directory / "regressd.lock";
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return SystemError(fmt::format("cannot open {}", file.string()));
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      const absl::Status status = SystemError(fmt::format("cannot lock {}", file.string()));
      close(fd);
      return status;
    }
    if (std::chrono::steady_clock::now() >= give_up) {
      const std::string pid = ReadPid(fd);
      close(fd);
      return absl::FailedPreconditionError(fmt::format(
          "data directory {} is in use by another regressd (pid {}); stop it, or give this one "
          "another directory with --data-dir, or both one database with --database-url",
          directory.string(), pid));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    const absl::Status status = SystemError(fmt::format("cannot write {}", file.string()));
    close(fd);
    return status;
  }
  return fd;
}

}  // namespace

absl::Status MakePrivateDirectory(const fs::path& path, const std::optional<UserIds>& owner) {
  const uid_t uid = owner ? owner->uid : geteuid();
  if (mkdir(path.c_str(), 0700) == 0) {
    if (owner && lchown(path.c_str(), owner->uid, owner->gid) != 0) {
      return SystemError(fmt::format("cannot give {} to {}", path.string(), owner->name));
    }
  } else if (errno != EEXIST) {
    return SystemError(fmt::format("cannot make {}", path.string()));
  }
  // Not followed: under /tmp a link could lead anywhere.
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    return SystemError(fmt::format("cannot look at {}", path.string()));
  }
  if (!S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(
        fmt::format("{} is not a directory; move it away", path.string()));
  }
  if (info.st_uid != uid) {
    return absl::FailedPreconditionError(fmt::format(
        "{} belongs to uid {} and should belong to uid {}, whom PostgreSQL runs as; run "
        "regressd as its owner, chown -R it, or choose another directory with --data-dir",
        path.string(), info.st_uid, uid));
  }
  if ((info.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{} is open to other users (mode {:04o}); chmod 0700 it", path.string(),
                    info.st_mode & 07777));
  }
  return absl::OkStatus();
}

fs::path ChooseSocketDirectory(const fs::path& data_directory, unsigned uid) {
  constexpr std::size_t kMaxSocketPath = 107;  // sizeof(sockaddr_un::sun_path) with its NUL.
  const std::string wanted = (data_directory / "socket").string();
  if (wanted.size() + std::strlen("/.s.PGSQL.5432") <= kMaxSocketPath &&
      wanted.find_first_of(",\"'\\") == std::string::npos) {
    return wanted;
  }
  // FNV-1a: the same directory gets the same name in every build.
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : data_directory.string()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return fs::path("/tmp") / fmt::format("regressd-{}-{:016x}", uid, hash);
}

absl::StatusOr<DataDirectory> DataDirectory::Open(const fs::path& path,
                                                  const std::optional<UserIds>& owner) {
  const absl::StatusOr<fs::path> top = MakeTop(path, owner);
  if (!top.ok()) return top.status();
  const absl::StatusOr<int> lock_fd = Lock(*top);
  if (!lock_fd.ok()) return lock_fd.status();
  DataDirectory directory(*top, *lock_fd);
  directory.socket_ = ChooseSocketDirectory(*top, owner ? owner->uid : geteuid());
  if (absl::Status status = MakePrivateDirectory(directory.socket_, owner); !status.ok()) {
    return status;
  }
  return directory;
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      socket_(std::move(other.socket_)),
      lock_fd_(std::exchange(other.lock_fd_, -1)) {}

DataDirectory::~DataDirectory() {
  if (lock_fd_ >= 0) close(lock_fd_);
}

}  // namespace regressd::storage
