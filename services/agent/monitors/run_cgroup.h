#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "services/parse/kernel_log.h"

namespace regressd::agent {

/// The memory cgroup of a run's command, as the kernel's log names it: the one made for it at
/// `made_for_run`, or with an empty path that of this process. nullopt when it cannot be told,
/// which is so inside a cgroup namespace. `self` is /proc/self.
std::optional<std::string> RunMemoryCgroup(const std::filesystem::path& made_for_run,
                                           const std::filesystem::path& self = "/proc/self");

/// Whether a run in `run_cgroup` had to do with this lack of memory: it was the machine's, or in
/// the run's cgroup, above or below it. Of one that cannot be told it is assumed.
bool Concerns(const parse::OomKill& kill, const std::optional<std::string>& run_cgroup);

}  // namespace regressd::agent
