#pragma once

#include <sys/types.h>

#include <filesystem>
#include <utility>

#include "absl/status/statusor.h"
#include "services/agent/private_directory.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// A PrivateDirectory that is removed also when this process is killed: a process of its own waits
/// for the end of this one and then removes it. Make it before any thread exists. One thread.
class GuardedDirectory {
 public:
  /// `parent` empty: TMPDIR or /tmp. Errors: Unavailable from the system.
  static absl::StatusOr<GuardedDirectory> Create(const std::filesystem::path& parent = {});

  GuardedDirectory(GuardedDirectory&& other) noexcept;
  GuardedDirectory& operator=(GuardedDirectory&& other) = delete;
  ~GuardedDirectory();

  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  GuardedDirectory(PrivateDirectory directory, UniqueFd alive, pid_t guard)
      : directory_(std::move(directory)), alive_(std::move(alive)), guard_(guard) {}

  PrivateDirectory directory_;
  UniqueFd alive_;  ///< Closes with this process; the guard sees it.
  pid_t guard_;
};

}  // namespace regressd::agent
