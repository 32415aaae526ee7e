#pragma once

#include <filesystem>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// A directory of our own under TMPDIR (or /tmp), closed to others, removed with all that is in it.
/// The lock on it says that its owner lives. Thread-compatible.
class PrivateDirectory {
 public:
  /// `parent` empty: TMPDIR or /tmp. Errors: Unavailable from the system.
  static absl::StatusOr<PrivateDirectory> Create(const std::filesystem::path& parent = {});
  /// Removes those of this user whose owner was killed; others', and those of the living, are left
  /// alone. Returns the paths of what is gone, sorted.
  static std::vector<std::filesystem::path> RemoveAbandoned(
      const std::filesystem::path& parent = {});

  PrivateDirectory(PrivateDirectory&& other) noexcept;
  PrivateDirectory& operator=(PrivateDirectory&& other) = delete;
  ~PrivateDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  PrivateDirectory(std::filesystem::path path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace regressd::agent
