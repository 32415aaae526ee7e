#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

struct ChildOptions {
  std::vector<std::string> arguments;  ///< The program first; looked up in PATH.
  /// Set over the own environment.
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool pipe_stdout = true;     ///< Otherwise /dev/null.
  bool pipe_stderr = true;     ///< Otherwise /dev/null.
  bool inherit_stdin = false;  ///< Otherwise /dev/null.
  int nice = 0;                ///< Added to the own.
  /// The child is in this cgroup before it executes anything; empty: in the own.
  std::filesystem::path cgroup_directory = {};
};

/// How a child ended.
struct ChildExit {
  int exit_status = 0;  ///< -1 when a signal killed it.
  int term_signal = 0;  ///< Or 0.
  rusage usage = {};    ///< Of it and of its descendants that were waited for.

  /// "exit status 1", "killed by signal 9 (Killed)".
  std::string Describe() const;
};

/// A child in a process group of its own, which dies with the thread that started it. Descriptors
/// of this process stay closed in it. One thread, the one that lives as long as the child.
class ChildProcess {
 public:
  /// Errors: NotFound when there is no such program, PermissionDenied when it may not be executed,
  /// Unavailable for what else the system says, and for a cgroup that does not take it.
  static absl::StatusOr<ChildProcess> Start(const ChildOptions& options);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  /// Kills the group if it still runs, and waits.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Read ends, closed on exec; invalid when not asked for.
  UniqueFd& out() { return out_; }
  UniqueFd& err() { return err_; }
  /// Becomes readable when the child has ended.
  int exit_fd() const { return exit_fd_.get(); }

  /// To the whole group; harmless once it is gone.
  void Signal(int signal_number) const;
  /// The end if it has come, without waiting.
  std::optional<ChildExit> TryWait();
  /// Waits at most `timeout`, then kills the group.
  ChildExit WaitOrKill(std::chrono::milliseconds timeout);

 private:
  ChildProcess() = default;

  pid_t pid_ = -1;
  bool waited_ = false;
  ChildExit exit_;
  UniqueFd out_;
  UniqueFd err_;
  UniqueFd exit_fd_;
};

struct CaptureOptions {
  std::chrono::milliseconds timeout{5000};
  bool separate_errors = false;  ///< What it says on stderr does not belong to its output.
  int interrupt_fd = -1;         ///< Readable when nobody wants the output any more; -1: none.
};
struct CapturedOutput {
  ChildExit exit;
  std::string text;
  std::string errors;  ///< Of stderr, when it is separate.
};
/// Runs a short command with LC_ALL=C and returns what it printed.
/// Errors: as Start; DeadlineExceeded when it did not end in time, Cancelled when it was
/// interrupted.
absl::StatusOr<CapturedOutput> Capture(std::vector<std::string> arguments,
                                       const CaptureOptions& options);
/// Both outputs together.
absl::StatusOr<CapturedOutput> Capture(std::vector<std::string> arguments,
                                       std::chrono::milliseconds timeout);

}  // namespace regressd::agent
