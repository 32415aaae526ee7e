#include "services/agent/workloads/options.h"

#include <spdlog/spdlog.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "services/agent/run_options.h"
#include "services/common/option_checks.h"

namespace regressd::agent {
namespace {

constexpr int kExitFailed = 1;

const char* Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <typename Enum>
void AddChoice(CLI::App& app, const std::string& name, Enum* value, const std::string& help,
               const std::vector<std::pair<std::string, Enum>>& choices) {
  std::string names;
  std::string chosen;
  for (const auto& [text, choice] : choices) {
    names += (names.empty() ? "" : "|") + text;
    if (choice == *value) chosen = text;
  }
  app.add_option(name, *value, help)
      ->type_name(names)
      ->default_str(chosen)
      ->transform(CLI::CheckedTransformer(choices).description(""));
}

}  // namespace

int Finish(const absl::StatusOr<WorkloadResult>& result) {
  SetUpLog(false);
  absl::Status status = result.status();
  if (status.ok()) status = Publish(*result, Environment("REGRESS_OBSERVATIONS"));
  if (status.ok()) return kExitOk;
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitFailed;
}

void AddTaskFlags(CLI::App& app, TaskFlags* flags) {
  app.add_option("--tasks", flags->task_count, "Tasks at once")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  CLI::Option* processes =
      app.add_flag("--processes", flags->processes, "Tasks are processes (the default)");
  app.add_flag("--threads", flags->threads, "Tasks are threads of one process")
      ->excludes(processes);
}

void AddSeconds(CLI::App& app, const std::string& name, double* seconds, const std::string& help) {
  app.add_option(name, *seconds, help)
      ->type_name("SECONDS")
      ->check(common::FiniteRange(name == "--runtime" ? 0.1 : 0.0, 1e6))
      ->capture_default_str();
}

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

CLI::Option* AddBytes(CLI::App& app, const std::string& name, std::int64_t* bytes,
                      const std::string& help) {
  CLI::Option* option =
      app.add_option(name, *bytes, help)->type_name("BYTES")->transform(CLI::AsSizeValue(false));
  return *bytes == 0 ? option : option->default_val(*bytes);
}

void AddCount(CLI::App& app, const std::string& name, int* count, const std::string& help) {
  app.add_option(name, *count, help)
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
}

void AddHugePages(CLI::App& app, HugePages* huge_pages) {
  AddChoice(app, "--thp", huge_pages,
            "Transparent huge pages: advised, advised against, or as the system has it",
            {{"always", HugePages::kAlways},
             {"never", HugePages::kNever},
             {"default", HugePages::kDefault}});
}

void AddContent(CLI::App& app, PageContent* content) {
  AddChoice(
      app, "--content", content,
      "What pages hold: each word its index as usemem writes it, zeros, or what no compression "
      "makes smaller",
      {{"index", PageContent::kIndex},
       {"zero", PageContent::kZero},
       {"random", PageContent::kRandom}});
}

void AddDirectory(CLI::App& app, std::string* directory) {
  app.add_option("--dir", *directory,
                 "Directory on the file system to test; without it the agent's or TMPDIR")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
}

std::filesystem::path ChosenDirectory(const std::string& directory) {
  return directory.empty() ? Environment("REGRESS_WORK_DIR") : directory;
}

}  // namespace regressd::agent
