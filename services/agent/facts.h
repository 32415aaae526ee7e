#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "services/model/run.h"

namespace regressd::agent {

/// What this machine is, read from /proc, /sys and uname; empty where it cannot be found out.
/// `root` stands in front of /proc and /sys.
model::MachineFacts GatherFacts(const std::filesystem::path& root = "/");

/// Versions of the tools that monitors use: "perf" -> "6.1.192". A missing tool is left out.
std::map<std::string, std::string> ToolVersions();

/// A new run's id: a random UUID, version 4, lower case with dashes.
std::string DrawRunUuid();

}  // namespace regressd::agent
