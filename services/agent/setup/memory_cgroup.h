#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/setup/journal.h"
#include "services/agent/setup/machine.h"

namespace regressd::agent {

/// Makes the memory cgroup "regressd-<run uuid>" with a limit: below /sys/fs/cgroup where that is
/// cgroup v2, below /sys/fs/cgroup/memory where the controller is v1's. Swap stays unlimited in
/// both. Returns its directory.
/// Errors: FailedPrecondition when this machine has no memory controller to give;
/// PermissionDenied; InvalidArgument when the kernel does not take the limit.
absl::StatusOr<std::filesystem::path> MakeMemoryCgroup(Machine& machine, std::string_view run_uuid,
                                                       std::int64_t limit_bytes, Journal* journal);

/// Undoes a kCgroup: kills what is in it and in cgroups below it, waits for their end, removes it.
/// Errors: DeadlineExceeded, naming the processes, when they do not end within ten seconds.
absl::Status RemoveMemoryCgroup(Machine& machine, const std::filesystem::path& directory);

/// Undoes a kController, unless others have begun to use it.
void ReleaseController(const Machine& machine, const std::filesystem::path& subtree_control);

}  // namespace regressd::agent
