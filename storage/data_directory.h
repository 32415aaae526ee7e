#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "storage/child_process.h"

namespace regressd::storage {

/// The directory that a regressd without a database URL keeps everything in, held against a second
/// regressd as long as this lives:
///   regressd.lock   locked (flock) while in use, holds the owner's pid
///   postgres/       the cluster, made by initdb
///   postgres.new.*  one that is being made
///   postgres.log    what the server writes; postgres.log.1 is what it wrote before
///   socket/         its Unix socket, of mode 0700; elsewhere when the path would be too long for a
///   socket
class DataDirectory {
 public:
  /// Makes what is missing and takes the lock. With `owner` (we are root) the cluster and the
  /// socket are that user's. Errors: FailedPrecondition when another regressd has it (names its
  /// pid) or what is there belongs to somebody else or is open to others; PermissionDenied or
  /// Internal when it cannot be made.
  static absl::StatusOr<DataDirectory> Open(const std::filesystem::path& path,
                                            const std::optional<UserIds>& owner);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path cluster() const { return path_ / "postgres"; }
  std::filesystem::path log() const { return path_ / "postgres.log"; }
  const std::filesystem::path& socket() const { return socket_; }

 private:
  DataDirectory(std::filesystem::path path, int lock_fd)
      : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::filesystem::path path_;
  std::filesystem::path socket_;
  int lock_fd_;
};

/// Makes `path` if it is missing, as a directory of `owner`'s (unset: ours) with mode 0700.
/// Errors: FailedPrecondition when it is there and is not that.
absl::Status MakePrivateDirectory(const std::filesystem::path& path,
                                  const std::optional<UserIds>& owner);

/// Where the socket of a data directory goes: its own socket/, or a short directory under /tmp when
/// a socket's path there would exceed the kernel's 107 bytes or has a character that a list of
/// directories cannot hold. Pure.
std::filesystem::path ChooseSocketDirectory(const std::filesystem::path& data_directory,
                                            unsigned uid);

}  // namespace regressd::storage
