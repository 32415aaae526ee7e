#pragma once

#include <filesystem>

#include "absl/status/statusor.h"

namespace regressd::agent {

/// A directory of our own under TMPDIR (or /tmp), closed to others, removed with all that is in it.
/// Thread-compatible.
class PrivateDirectory {
 public:
  /// `parent` empty: TMPDIR or /tmp. Errors: Unavailable from the system.
  static absl::StatusOr<PrivateDirectory> Create(const std::filesystem::path& parent = {});

  PrivateDirectory(PrivateDirectory&& other) noexcept;
  PrivateDirectory& operator=(PrivateDirectory&& other) = delete;
  ~PrivateDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace regressd::agent
