#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "services/agent/command_line.h"
#include "services/agent/workloads/mapping.h"
#include "services/agent/workloads/page_content.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

/// Each adds one family of workloads to `workload`. When one was chosen and its arguments are good,
/// it runs, and `*exit_code` is set to what the program ends with.
void AddPageFaultWorkloads(CLI::App& workload, int* exit_code);
void AddSparseTruncateWorkload(CLI::App& workload, int* exit_code);
void AddSwapWorkloads(CLI::App& workload, int* exit_code);
void AddFileReadWorkloads(CLI::App& workload, int* exit_code);
/// `command` is what stood behind "--"; it outlives the parsing.
void AddBuildWorkload(CLI::App& workload, const Command& command, int* exit_code);

/// Publishes the result, or logs what went wrong. Returns the exit code.
int Finish(const absl::StatusOr<WorkloadResult>& result);

/// Options that several families share.
struct TaskFlags {
  int task_count = 1;
  bool processes = false;  ///< Said; it is the default.
  bool threads = false;
};
void AddTaskFlags(CLI::App& app, TaskFlags* flags);

void AddSeconds(CLI::App& app, const std::string& name, double* seconds, const std::string& help);
std::chrono::milliseconds Milliseconds(double seconds);
CLI::Option* AddBytes(CLI::App& app, const std::string& name, std::int64_t* bytes,
                      const std::string& help);
void AddCount(CLI::App& app, const std::string& name, int* count, const std::string& help);
void AddHugePages(CLI::App& app, HugePages* huge_pages);
void AddContent(CLI::App& app, PageContent* content);
void AddDirectory(CLI::App& app, std::string* directory);

/// The directory that was asked for; else the one that `run` gives to its command and removes
/// whatever happens here; else empty.
std::filesystem::path ChosenDirectory(const std::string& directory);

}  // namespace regressd::agent
