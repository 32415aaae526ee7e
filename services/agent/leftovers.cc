#include "services/agent/leftovers.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>

#include <string>
#include <system_error>

#include "services/agent/command_runner.h"
#include "services/agent/private_directory.h"
#include "services/agent/setup/run_setup.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

namespace {

namespace fs = std::filesystem;

/// The kernel kills a dead agent's command, and not what that has started.
void KillOrphans(const fs::path& spool_directory) {
  std::error_code error;
  fs::directory_iterator entry(spool_directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".spool") continue;
    const std::string run_uuid = entry->path().stem().string();
    UniqueFd spool(open(entry->path().c_str(), O_RDONLY | O_CLOEXEC));
    // The living hold theirs.
    if (!spool.valid() || flock(spool.get(), LOCK_EX | LOCK_NB) != 0) continue;
    spool.Reset();
    if (const int count = KillMarked(RunMarker(run_uuid)); count > 0) {
      spdlog::warn("killed: {} processes of run {}, whose agent was killed", count, run_uuid);
    }
  }
}

}  // namespace

void CleanUpAfterKilled(const std::filesystem::path& spool_directory, Machine& machine) {
  if (!spool_directory.empty()) KillOrphans(spool_directory);
  const fs::path setups = SetupDirectory(spool_directory, machine);
  CleanLeftovers(setups, machine);
  if (setups != spool_directory) CleanLeftovers(spool_directory, machine);
  for (const std::filesystem::path& path : PrivateDirectory::RemoveAbandoned()) {
    spdlog::warn("removed: {}, left by an agent that was killed", path.string());
  }
}

}  // namespace regressd::agent
