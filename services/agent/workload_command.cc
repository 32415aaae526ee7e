#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <utility>

#include "services/agent/command_line.h"
#include "services/agent/run_options.h"
#include "services/agent/workloads/page_fault.h"
#include "services/agent/workloads/sparse_truncate.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {
namespace {

constexpr int kExitFailed = 1;

const char* Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int Finish(const absl::StatusOr<WorkloadResult>& result) {
  SetUpLog(false);
  absl::Status status = result.status();
  if (status.ok()) status = Publish(*result, Environment("REGRESS_OBSERVATIONS"));
  if (status.ok()) return kExitOk;
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitFailed;
}

struct PageFaultArguments {
  PageFaultOptions options;
  double warm_up_s = 1;
  double runtime_s = 5;
  bool processes = false;  ///< Said; it is the default.
  bool no_pin = false;
};

void AddPageFault(CLI::App& workload, int* exit_code) {
  const auto arguments = std::make_shared<PageFaultArguments>();
  CLI::App* app = workload.add_subcommand(
      "page-fault1", "Map anonymous memory, write to each page, unmap, again (will-it-scale)");
  PageFaultOptions& options = arguments->options;
  app->add_option("--tasks", options.task_count, "Tasks at once")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  CLI::Option* processes =
      app->add_flag("--processes", arguments->processes, "Tasks are processes (the default)");
  app->add_flag("--threads", options.threads, "Tasks are threads of one process")
      ->excludes(processes);
  app->add_option("--size", options.size_bytes, "Bytes of each mapping; 64k, 128m, 1g")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->default_val(options.size_bytes);
  app->add_option("--runtime", arguments->runtime_s, "Length of the measurement")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app->add_option("--warm-up", arguments->warm_up_s, "Before it, not counted")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app->add_option("--thp", options.huge_pages,
                  "Transparent huge pages: advised, advised against, or as the system has it")
      ->type_name("always|never|default")
      ->transform(CLI::CheckedTransformer(
          std::vector<std::pair<std::string, HugePages>>{{"always", HugePages::kAlways},
                                                         {"never", HugePages::kNever},
                                                         {"default", HugePages::kDefault}}));
  app->add_flag("--populate", options.populate, "Have the kernel fill each mapping at once");
  app->add_flag("--no-pin", arguments->no_pin, "Leave it to the scheduler where tasks run");
  app->callback([arguments, exit_code] {
    PageFaultOptions chosen = arguments->options;
    const auto milliseconds = [](double seconds) {
      return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    };
    chosen.warm_up = milliseconds(arguments->warm_up_s);
    chosen.runtime = milliseconds(arguments->runtime_s);
    chosen.pin = !arguments->no_pin;
    *exit_code = Finish(RunPageFault(chosen));
  });
}

void AddSparseTruncate(CLI::App& workload, int* exit_code) {
  const auto options = std::make_shared<SparseTruncateOptions>();
  const auto directory = std::make_shared<std::string>();
  const auto operation = std::make_shared<std::string>("truncate");
  CLI::App* app = workload.add_subcommand(
      "sparsetruncate", "Truncate sparse files whose pages are in the page cache (mmtests)");
  app->add_option("--files", options->file_count, "Files, each one observation a round")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app->add_option("--file-size", options->file_size_bytes, "Bytes of each; 64k, 4m")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->default_val(options->file_size_bytes);
  app->add_option("--directories", options->directory_count, "Spread over so many directories")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app->add_option("--rounds", options->round_count, "Make, fill and truncate so many times")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app->add_option("--op", *operation,
                  "What is timed: ftruncate(2) to 0, or unlink(2) as mmtests does")
      ->type_name("truncate|unlink")
      ->check(CLI::IsMember({"truncate", "unlink"}))
      ->capture_default_str();
  app->add_option("--dir", *directory,
                  "Directory on the file system to test; without it the agent's or TMPDIR")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  app->callback([options, directory, operation, exit_code] {
    SparseTruncateOptions chosen = *options;
    // Under `run` the agent's directory of the run, which it removes whatever happens here.
    chosen.directory = directory->empty() ? Environment("REGRESS_WORK_DIR") : *directory;
    chosen.unlink = *operation == "unlink";
    *exit_code = Finish(RunSparseTruncate(chosen));
  });
}

}  // namespace

void AddWorkloadCommand(CLI::App& app, int* exit_code) {
  CLI::App* workload = app.add_subcommand(
      "workload", "Run a load of our own; its results are lines \"name value unit better\"");
  workload->require_subcommand(1);
  workload->footer("Exit status 1 when the load's check of itself fails, with what was seen.");
  AddPageFault(*workload, exit_code);
  AddSparseTruncate(*workload, exit_code);
}

}  // namespace regressd::agent
