#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/setup/journal.h"
#include "services/agent/setup/kernel_setting.h"
#include "services/agent/setup/machine.h"
#include "services/agent/setup/swap_space.h"

namespace regressd::agent {

/// Where the journals of setups lie: for root in one place of the machine, so that agents with
/// different spools see each other's; for others, who can make no more than cgroups of their own,
/// beside their spool.
std::filesystem::path SetupDirectory(const std::filesystem::path& spool_directory,
                                     const Machine& machine);

/// What a run wants of the machine for its time.
struct SetupOptions {
  std::optional<std::int64_t> memory_limit_bytes = {};
  std::optional<SwapSpec> swap = {};
  std::filesystem::path swap_directory = "/var/tmp";  ///< Parent of a swap file's own directory.
  std::vector<KernelSetting> settings = {};           ///< Each key once.
  bool drop_caches = false;  ///< Clean page cache, dentries and inodes, after a sync.

  bool empty() const { return !memory_limit_bytes && !swap && settings.empty() && !drop_caches; }
};

/// The changes that one run makes to the machine, undone at the latest by the destructor.
///
/// Each is noted in a journal before it is made, so that CleanLeftovers undoes what an agent that
/// was killed could not. One thread.
class RunSetup {
 public:
  /// Settings, then swap, then the cgroup, then the caches. What was made is undone again when
  /// something fails. `machine` outlives it.
  /// Errors: PermissionDenied, naming the path, the right and the command that would help;
  /// NotFound, FailedPrecondition, InvalidArgument, ResourceExhausted for what this machine does
  /// not have; Aborted when another run that goes on holds the same setting.
  static absl::StatusOr<std::unique_ptr<RunSetup>> Make(
      const SetupOptions& options, std::string_view run_uuid,
      const std::filesystem::path& state_directory, Machine& machine);
  ~RunSetup();
  RunSetup(const RunSetup&) = delete;
  RunSetup& operator=(const RunSetup&) = delete;

  /// The memory cgroup that the command belongs into; empty: none.
  const std::filesystem::path& cgroup_directory() const { return cgroup_directory_; }

  /// Undoes all. Errors: what is still there and why; the journal is kept then, and the next
  /// CleanLeftovers tries again.
  absl::Status Undo();

 private:
  explicit RunSetup(Machine& machine) : machine_(machine) {}
  absl::Status MakeAll(const SetupOptions& options);
  absl::Status ApplySettings(const SetupOptions& options);

  Machine& machine_;
  std::optional<Journal> journal_;
  std::filesystem::path cgroup_directory_;
};

/// Undoes what agents that died left on the machine, and says so on the log. Those that live are
/// left alone. Returns how many setups could not be undone, each with a line on the log.
int CleanLeftovers(const std::filesystem::path& state_directory, Machine& machine);

}  // namespace regressd::agent
