#include "services/agent/private_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "regress-agent-tmp-";
constexpr std::string_view kRandom = "XXXXXX";  // What mkdtemp replaces.

fs::path BaseOf(const fs::path& parent) {
  if (!parent.empty()) return parent;
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : base;
}

UniqueFd OpenDirectory(const fs::path& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// The directory that was opened is ours alone and still stands at its path.
bool IsOurs(int directory, const fs::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(directory, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev &&
         opened.st_uid == geteuid() && (opened.st_mode & 07777) == 0700;
}

bool HasOurName(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.size() == kPrefix.size() + kRandom.size() && name.starts_with(kPrefix);
}

}  // namespace

absl::StatusOr<PrivateDirectory> PrivateDirectory::Create(const fs::path& parent) {
  const fs::path base = BaseOf(parent);
  for (;;) {
    std::string name = (base / fmt::format("{}{}", kPrefix, kRandom)).string();
    if (mkdtemp(name.data()) == nullptr) {
      return absl::UnavailableError(
          fmt::format("cannot make a directory in {}: {}", base.string(), std::strerror(errno)));
    }
    UniqueFd lock = OpenDirectory(name);
    // Before it was locked, another agent may have taken it for a dead one's and removed it.
    if (!lock.valid() && errno == ENOENT) continue;
    if (lock.valid() && flock(lock.get(), LOCK_EX) == 0 && !IsOurs(lock.get(), name)) continue;
    return PrivateDirectory(name, std::move(lock));
  }
}

std::vector<fs::path> PrivateDirectory::RemoveAbandoned(const fs::path& parent) {
  std::vector<fs::path> removed;
  std::error_code error;
  fs::directory_iterator entry(BaseOf(parent), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path path = entry->path();
    if (!HasOurName(path)) continue;
    const UniqueFd lock = OpenDirectory(path);
    if (!lock.valid() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || !IsOurs(lock.get(), path)) {
      continue;
    }
    std::error_code failed;
    fs::remove_all(path, failed);
    if (!failed) removed.push_back(path);
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

PrivateDirectory::PrivateDirectory(PrivateDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

PrivateDirectory::~PrivateDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace regressd::agent
