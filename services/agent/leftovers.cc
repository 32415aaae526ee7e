#include "services/agent/leftovers.h"

#include <spdlog/spdlog.h>

#include "services/agent/private_directory.h"
#include "services/agent/setup/run_setup.h"

namespace regressd::agent {

void CleanUpAfterKilled(const std::filesystem::path& spool_directory, Machine& machine) {
  CleanLeftovers(spool_directory, machine);
  for (const std::filesystem::path& path : PrivateDirectory::RemoveAbandoned()) {
    spdlog::warn("removed: {}, left by an agent that was killed", path.string());
  }
}

}  // namespace regressd::agent
