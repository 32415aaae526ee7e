#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// Kinds of what a setup changes on a machine.
enum class ChangeKind {
  kSetting,        ///< `what` is its key, `before` its value until now.
  kSwapDirectory,  ///< `what` is a directory with a swap file of ours in it.
  kZram,        ///< `before` are the numbers of the devices that there were, separated by blanks.
  kZramDevice,  ///< `what` is the number of the device that came of the kZram before it.
  kController,  ///< `what` is a cgroup.subtree_control that got "+memory".
  kCgroup,      ///< `what` is a cgroup's directory.
};

struct Change {
  ChangeKind kind = ChangeKind::kSetting;
  std::string what;
  std::string before = {};

  friend bool operator==(const Change&, const Change&) = default;
};

/// What one run changed on this machine, on disk before it was changed, so that it can be undone
/// after the death of the agent at any point.
///
/// A line of JSON for each change; the lock on the file says that its owner lives. One thread.
class Journal {
 public:
  /// A new one, `<directory>/setup-<run uuid>.journal`; the directory is made when missing.
  /// Errors: PermissionDenied, ResourceExhausted, Unavailable from the system.
  static absl::StatusOr<Journal> Create(const std::filesystem::path& directory,
                                        std::string_view run_uuid, std::string_view boot_id);
  /// That of a dead owner, which is now ours. Errors: FailedPrecondition when its owner lives;
  /// NotFound; DataLoss when it is no journal.
  static absl::StatusOr<Journal> Adopt(const std::filesystem::path& path);
  /// The changes in a journal, whoever holds it; empty when it cannot be read.
  static std::vector<Change> Peek(const std::filesystem::path& path);
  /// Paths of the journals in `directory`, sorted.
  static std::vector<std::filesystem::path> List(const std::filesystem::path& directory);

  /// Has reached the disk when it returns OK: only then may the change be made.
  absl::Status Record(const Change& change);
  /// Everything is undone.
  void Remove();

  const std::filesystem::path& path() const { return path_; }
  const std::string& run_uuid() const { return run_uuid_; }
  /// Of the boot during which it was made.
  const std::string& boot_id() const { return boot_id_; }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  Journal(std::filesystem::path path, UniqueFd file)
      : path_(std::move(path)), file_(std::move(file)) {}
  absl::Status Append(const std::string& line);
  absl::Status Load();

  std::filesystem::path path_;
  UniqueFd file_;
  std::string run_uuid_;
  std::string boot_id_;
  std::vector<Change> changes_;
};

}  // namespace regressd::agent
