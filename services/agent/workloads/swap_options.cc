#include <memory>

#include "services/agent/workloads/options.h"
#include "services/agent/workloads/swap_fill.h"
#include "services/agent/workloads/swap_rounds.h"

namespace regressd::agent {
namespace {

struct FillArguments {
  SwapFillOptions options;
  TaskFlags tasks;
  double runtime_s = 300;
};

void AddFill(CLI::App& workload, const char* name, const char* help, SwapAccess access,
             int* exit_code) {
  const auto arguments = std::make_shared<FillArguments>();
  CLI::App* app = workload.add_subcommand(name, help);
  SwapFillOptions& options = arguments->options;
  options.access = access;
  AddTaskFlags(*app, &arguments->tasks);
  AddBytes(*app, "--size", &options.size_bytes,
           "Bytes of all tasks together; without it twice the memory cgroup's limit");
  AddSeconds(*app, "--runtime", &arguments->runtime_s, "Ends tasks that are not done by then");
  AddContent(*app, &options.content);
  AddHugePages(*app, &options.huge_pages);
  app->add_option("--seed", options.seed, "Of random places and random content")
      ->type_name("N")
      ->capture_default_str();
  app->add_flag("--pin", options.pin, "Each task to one CPU");
  app->callback([arguments, exit_code] {
    SwapFillOptions chosen = arguments->options;
    chosen.task_count = arguments->tasks.task_count;
    chosen.threads = arguments->tasks.threads;
    chosen.runtime = Milliseconds(arguments->runtime_s);
    *exit_code = Finish(RunSwapFill(chosen));
  });
}

void AddRounds(CLI::App& workload, const char* name, const char* help, SwapDirection direction,
               int* exit_code) {
  const auto options = std::make_shared<SwapRoundsOptions>();
  options->direction = direction;
  CLI::App* app = workload.add_subcommand(name, help);
  AddBytes(*app, "--size", &options->size_bytes, "Bytes of each round; 256m, 8g");
  AddCount(*app, "--rounds", &options->round_count, "Rounds, each one observation");
  AddContent(*app, &options->content);
  AddHugePages(*app, &options->huge_pages);
  app->callback([options, exit_code] { *exit_code = Finish(RunSwapRounds(*options)); });
}

}  // namespace

void AddSwapWorkloads(CLI::App& workload, int* exit_code) {
  AddFill(workload, "swap-w-seq",
          "Write memory beyond the cgroup's limit in sequence (vm-scalability)",
          SwapAccess::kWriteSequential, exit_code);
  AddFill(workload, "swap-w-rand", "The same at random places (vm-scalability)",
          SwapAccess::kWriteRandom, exit_code);
  AddFill(workload, "swap-r-seq",
          "Read memory back from swap in sequence (vm-scalability's swapin)",
          SwapAccess::kReadSequential, exit_code);
  AddRounds(workload, "swapout-seq", "Send memory to swap by MADV_PAGEOUT, microseconds a round",
            SwapDirection::kOut, exit_code);
  AddRounds(workload, "swapin-seq", "Read such memory back, microseconds a round",
            SwapDirection::kIn, exit_code);
}

}  // namespace regressd::agent
