#pragma once

#include <filesystem>

#include "services/agent/setup/machine.h"

namespace regressd::agent {

/// Puts away what agents that were killed left behind, and says so on the log: what their commands
/// left running, setups of the machine noted in SetupDirectory or in `spool_directory`, and temporary
/// directories. Their spools stay for `deliver`.
void CleanUpAfterKilled(const std::filesystem::path& spool_directory, Machine& machine);

}  // namespace regressd::agent
