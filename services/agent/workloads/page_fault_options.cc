#include <memory>

#include "services/agent/workloads/options.h"
#include "services/agent/workloads/page_fault.h"

namespace regressd::agent {
namespace {

struct Arguments {
  PageFaultOptions options;
  TaskFlags tasks;
  double warm_up_s = 1;
  double runtime_s = 5;
  bool no_pin = false;
  std::string directory;
};

void AddOne(CLI::App& workload, const char* name, const char* help, FaultedMemory memory,
            int* exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* app = workload.add_subcommand(name, help);
  PageFaultOptions& options = arguments->options;
  options.memory = memory;
  AddTaskFlags(*app, &arguments->tasks);
  AddBytes(*app, "--size", &options.size_bytes, "Bytes of each mapping; 64k, 128m, 1g");
  AddSeconds(*app, "--runtime", &arguments->runtime_s, "Length of the measurement");
  AddSeconds(*app, "--warm-up", &arguments->warm_up_s, "Before it, not counted");
  if (memory == FaultedMemory::kAnonymous) {
    AddHugePages(*app, &options.huge_pages);
  } else {
    AddDirectory(*app, &arguments->directory);
  }
  app->add_flag("--populate", options.populate, "Have the kernel fill each mapping at once");
  app->add_flag("--no-pin", arguments->no_pin, "Leave it to the scheduler where tasks run");
  app->callback([arguments, exit_code] {
    PageFaultOptions chosen = arguments->options;
    chosen.task_count = arguments->tasks.task_count;
    chosen.threads = arguments->tasks.threads;
    chosen.warm_up = Milliseconds(arguments->warm_up_s);
    chosen.runtime = Milliseconds(arguments->runtime_s);
    chosen.pin = !arguments->no_pin;
    chosen.directory = ChosenDirectory(arguments->directory);
    *exit_code = Finish(RunPageFault(chosen));
  });
}

}  // namespace

void AddPageFaultWorkloads(CLI::App& workload, int* exit_code) {
  AddOne(workload, "page-fault1",
         "Map anonymous memory, write to each page, unmap, again (will-it-scale)",
         FaultedMemory::kAnonymous, exit_code);
  AddOne(workload, "page-fault2",
         "The same with a private mapping of a file: each page is copied (will-it-scale)",
         FaultedMemory::kPrivateFile, exit_code);
  AddOne(workload, "page-fault3",
         "The same with a shared mapping of a file: each page gets dirty (will-it-scale)",
         FaultedMemory::kSharedFile, exit_code);
}

}  // namespace regressd::agent
