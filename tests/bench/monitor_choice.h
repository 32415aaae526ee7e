#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::bench {

/// The monitors that run when none is asked for.
std::vector<std::string> DefaultMonitors();
/// The same and perf-record.
std::vector<std::string> ProfilingMonitors();

/// A monitor that cannot start here.
struct MissingMonitor {
  std::string name;
  std::string reason;
};

/// Those of `monitors` that cannot start here, by the agent's own word.
/// Errors: Internal when the agent does not say.
absl::StatusOr<std::vector<MissingMonitor>> FindMissing(const std::string& bin_dir,
                                                        const std::vector<std::string>& monitors);

}  // namespace regressd::bench
