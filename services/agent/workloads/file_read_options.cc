#include <memory>

#include "services/agent/workloads/file_read.h"
#include "services/agent/workloads/options.h"

namespace regressd::agent {
namespace {

struct Arguments {
  FileReadOptions options;
  TaskFlags tasks;
  double runtime_s = 300;
  bool written = false;
  std::string directory;
};

void AddOne(CLI::App& workload, const char* name, const char* help, FileAccess access,
            int* exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* app = workload.add_subcommand(name, help);
  FileReadOptions& options = arguments->options;
  options.access = access;
  AddTaskFlags(*app, &arguments->tasks);
  AddBytes(*app, "--size", &options.size_bytes,
           "Bytes of all tasks' files; without it twice the cgroup's limit, or the memory");
  AddSeconds(*app, "--runtime", &arguments->runtime_s, "Ends tasks that are not done by then");
  if (access == FileAccess::kReadOnce) {
    AddBytes(*app, "--block", &options.block_bytes, "Bytes of one read(2)");
  }
  app->add_flag("--written", arguments->written,
                "Write the files beforehand and read the device; without it they are one hole");
  AddContent(*app, &options.content);
  AddDirectory(*app, &arguments->directory);
  app->add_flag("--pin", options.pin, "Each task to one CPU");
  app->callback([arguments, exit_code] {
    FileReadOptions chosen = arguments->options;
    chosen.task_count = arguments->tasks.task_count;
    chosen.threads = arguments->tasks.threads;
    chosen.runtime = Milliseconds(arguments->runtime_s);
    chosen.sparse = !arguments->written;
    chosen.directory = ChosenDirectory(arguments->directory);
    *exit_code = Finish(RunFileRead(chosen));
  });
}

}  // namespace

void AddFileReadWorkloads(CLI::App& workload, int* exit_code) {
  AddOne(workload, "lru-file-readonce", "Read files once by read(2) (vm-scalability)",
         FileAccess::kReadOnce, exit_code);
  AddOne(workload, "lru-file-mmap-read", "Read files once through a mapping (vm-scalability)",
         FileAccess::kMmapRead, exit_code);
}

}  // namespace regressd::agent
