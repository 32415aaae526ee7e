#include "services/agent/workloads/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace regressd::agent {
namespace {

int OpenUnnamed(const std::filesystem::path& directory) {
  const int fd = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  // A file system or kernel that does not know unnamed files says one of these.
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = (directory / "regress-agent-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

std::filesystem::path TemporaryDirectory(const std::filesystem::path& directory) {
  if (!directory.empty()) return directory;
  std::error_code error;
  std::filesystem::path found = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : found;
}

absl::StatusOr<UniqueFd> MakeTemporaryFile(const std::filesystem::path& directory,
                                           std::int64_t size_bytes) {
  const std::filesystem::path place = TemporaryDirectory(directory);
  UniqueFd file(OpenUnnamed(place));
  if (!file.valid() || ftruncate(file.get(), size_bytes) != 0) {
    return absl::UnavailableError(fmt::format("cannot make a file of {} bytes in {}: {}",
                                              size_bytes, place.string(), std::strerror(errno)));
  }
  return file;
}

absl::StatusOr<std::int64_t> FreeBytes(const std::filesystem::path& directory) {
  const std::filesystem::path place = TemporaryDirectory(directory);
  struct statvfs info = {};
  if (statvfs(place.c_str(), &info) != 0) {
    return absl::UnavailableError(
        fmt::format("cannot ask how full {} is: {}", place.string(), std::strerror(errno)));
  }
  return static_cast<std::int64_t>(info.f_bavail) * static_cast<std::int64_t>(info.f_frsize);
}

}  // namespace regressd::agent
