#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::agent {

/// The parts of this machine that a setup reads and changes. Tests put a directory in the place of
/// "/" and override what only a kernel can do. Every error names the path, the system's word for
/// it, and for missing rights what would give them. One thread.
class Machine {
 public:
  explicit Machine(std::filesystem::path root = "/") : root_(std::move(root)) {}
  virtual ~Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// An absolute path of this machine, below the root.
  std::filesystem::path At(std::string_view absolute_path) const;

  /// A file of /proc, /sys or a cgroup, without the newline at its end.
  absl::StatusOr<std::string> Read(const std::filesystem::path& path) const;
  /// One write(2) of the whole text.
  absl::Status Write(const std::filesystem::path& path, std::string_view text) const;
  bool Exists(const std::filesystem::path& path) const;

  virtual absl::Status MakeDirectory(const std::filesystem::path& path);
  /// An empty one. OK when it is not there. FailedPrecondition when something is still in it.
  virtual absl::Status RemoveDirectory(const std::filesystem::path& path);
  /// `priority` 0 to 32767; the kernel fills the highest first.
  virtual absl::Status SwapOn(const std::filesystem::path& path, int priority);
  /// OK when it is no swap space any more.
  virtual absl::Status SwapOff(const std::filesystem::path& path);
  /// SIGKILL; a process that is gone is no error.
  virtual void Kill(pid_t pid);
  /// Writes all dirty data out.
  virtual void Sync();
  /// /proc/sys/kernel/random/boot_id.
  std::string BootId() const;

 private:
  std::filesystem::path root_;
};

/// A status for a failed call: "cannot <what> <path>: Permission denied (EACCES)" and, for a right
/// that is missing, which one and the command that would help.
absl::Status SystemFailure(std::string_view what, const std::filesystem::path& path, int error);

}  // namespace regressd::agent
