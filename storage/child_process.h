#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::storage {

/// Whom a child runs as.
struct UserIds {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

/// Errors: NotFound when there is no such user.
absl::StatusOr<UserIds> LookUpUser(const std::string& name);

struct ChildCommand {
  std::vector<std::string> arguments;  ///< The first is the program's absolute path.
  std::optional<UserIds> user;         ///< Unset: as we are. Else we are root.
  std::filesystem::path working_directory;
  std::filesystem::path output;     ///< Standard output and error are appended here.
  int signal_when_parent_dies = 0;  ///< Sent when the spawning thread ends; 0: none.
};

/// Starts a program with a session, signal mask and small environment of its own, and none of our
/// descriptors. Errors: PermissionDenied or NotFound or Internal, naming the step that failed; then
/// there is no child.
absl::StatusOr<pid_t> Spawn(const ChildCommand& command);

/// Whether the child has ended; leaves it to be reaped.
bool HasEnded(pid_t child);

/// Waits for the child's end; leaves it to be reaped.
void AwaitEnd(pid_t child);

/// Reaps the child, waiting for its end, and says how it ended: "exit status 1", "signal 9".
std::string Reap(pid_t child);

/// Processes whose working directory is `directory` and whose program is called `program`.
/// Sees those of our own user, or all when we are root.
std::vector<pid_t> ProcessesIn(const std::filesystem::path& directory, const std::string& program);

/// The last lines of a file from `offset` on, for an error message.
std::string Tail(const std::filesystem::path& file, std::uintmax_t offset);

}  // namespace regressd::storage
