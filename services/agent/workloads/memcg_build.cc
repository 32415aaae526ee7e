#include "services/agent/workloads/memcg_build.h"

#include <fmt/format.h>
#include <sched.h>

#include <optional>
#include <utility>

#include "services/agent/child_process.h"
#include "services/agent/command_runner.h"
#include "services/agent/termination_signal.h"
#include "services/agent/workloads/guarded_directory.h"
#include "services/agent/workloads/source_tree.h"

namespace regressd::agent {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

int AllowedCpuCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Runs one command; what it prints goes to stderr, since stdout carries the results.
absl::StatusOr<CommandResult> Run(std::vector<std::string> arguments,
                                  std::chrono::milliseconds timeout, TerminationSignal& termination,
                                  std::string* output = nullptr) {
  const std::string program = arguments.front();
  CommandResult result = RunCommand(
      {.arguments = std::move(arguments), .timeout = timeout, .stdout_to_stderr = true},
      termination,
      [output](std::string_view line) {
        if (output != nullptr) *output += fmt::format("{}\n", line);
      },
      [](pid_t) {});
  if (termination.last() != 0) return absl::CancelledError("told to stop");
  if (!result.failed()) return result;
  std::string message = fmt::format(
      "{} failed: {}", program, result.failure.empty() ? result.exit.Describe() : result.failure);
  for (const std::string& line : result.last_output_lines) message += "\n" + line;
  return absl::FailedPreconditionError(message);
}

absl::Status CheckTools() {
  for (const char* tool : {"make", "cc"}) {
    const absl::Status status =
        Capture({tool, "--version"}, std::chrono::milliseconds(10'000)).status();
    if (status.ok()) continue;
    return absl::NotFoundError(fmt::format(
        "{}; the default build needs make and a C compiler as cc: install them (Debian: "
        "make, gcc), or give a command after --",
        std::string(status.message())));
  }
  return absl::OkStatus();
}

absl::Status CheckProgram(const std::string& directory, int file_count,
                          TerminationSignal& termination) {
  std::string output;
  const auto ran =
      Run({directory + "/program"}, std::chrono::milliseconds(60'000), termination, &output);
  if (!ran.ok()) return ran.status();
  if (output == ExpectedOutput(file_count)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("the program that was built prints \"{}\" in place of \"{}\"", output,
                  ExpectedOutput(file_count)));
}

void AddTimes(const CommandResult& build, const std::string& suffix, WorkloadResult* result) {
  const double elapsed_s = std::chrono::duration<double>(build.elapsed).count();
  const auto add = [&](const char* name, double value) {
    result->lines.push_back(
        {.name = name + suffix, .value = value, .unit = "s", .better = "lower"});
  };
  add("user", Seconds(build.exit.usage.ru_utime));
  add("syst", Seconds(build.exit.usage.ru_stime));
  add("elsp", elapsed_s);
}

absl::StatusOr<WorkloadResult> BuildOwnTree(const BuildOptions& options, int job_count,
                                            TerminationSignal& termination) {
  if (absl::Status status = CheckTools(); !status.ok()) return status;
  absl::StatusOr<GuardedDirectory> tree = GuardedDirectory::Create(options.directory);
  if (!tree.ok()) return tree.status();
  const std::string directory = tree->path().string();
  if (absl::Status status = WriteSourceTree(directory, options.file_count); !status.ok()) {
    return status;
  }
  WorkloadResult result;
  for (int round = 0; round < options.round_count; ++round) {
    const auto clean = Run({"make", "-s", "-C", directory, "clean"}, options.timeout, termination);
    if (!clean.ok()) return clean.status();
    const auto build = Run({"make", "-s", "-C", directory, fmt::format("-j{}", job_count)},
                           options.timeout, termination);
    if (!build.ok()) return build.status();
    absl::Status status = CheckProgram(directory, options.file_count, termination);
    if (!status.ok()) return status;
    AddTimes(*build, fmt::format("-{}", job_count), &result);
  }
  return result;
}

}  // namespace

absl::StatusOr<WorkloadResult> RunMemcgBuild(const BuildOptions& options) {
  if (options.round_count < 1 || options.file_count < 1 || options.job_count < 0) {
    return absl::InvalidArgumentError("--rounds, --files and --jobs must be at least 1");
  }
  TerminationSignal termination;
  if (options.command.empty()) {
    const int job_count = options.job_count == 0 ? AllowedCpuCount() : options.job_count;
    return BuildOwnTree(options, job_count, termination);
  }
  const std::string suffix = options.job_count == 0 ? "" : fmt::format("-{}", options.job_count);
  WorkloadResult result;
  for (int round = 0; round < options.round_count; ++round) {
    const auto build = Run(options.command, options.timeout, termination);
    if (!build.ok()) return build.status();
    AddTimes(*build, suffix, &result);
  }
  return result;
}

}  // namespace regressd::agent
