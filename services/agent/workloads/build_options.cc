#include <memory>

#include "services/agent/workloads/memcg_build.h"
#include "services/agent/workloads/options.h"

namespace regressd::agent {

void AddBuildWorkload(CLI::App& workload, const Command& command, int* exit_code) {
  const auto options = std::make_shared<BuildOptions>();
  const auto directory = std::make_shared<std::string>();
  const auto timeout_s = std::make_shared<double>(0);
  CLI::App* app = workload.add_subcommand(
      "memcg-build", "Time a build: the command behind --, or make -j over a C tree (kernbench)");
  app->add_option("--jobs", options->job_count,
                  "make -j; without it the CPUs. With a command: only a part of the results' names")
      ->type_name("N")
      ->check(CLI::Range(1, 65536));
  AddCount(*app, "--rounds", &options->round_count, "Builds, each from clean objects");
  AddCount(*app, "--files", &options->file_count, "C files of the tree");
  AddSeconds(*app, "--timeout", timeout_s.get(), "Of one build; 0 for none");
  AddDirectory(*app, directory.get());
  app->callback([options, directory, timeout_s, &command, exit_code] {
    BuildOptions chosen = *options;
    chosen.command = command;
    chosen.directory = ChosenDirectory(*directory);
    chosen.timeout = Milliseconds(*timeout_s);
    *exit_code = Finish(RunMemcgBuild(chosen));
  });
}

}  // namespace regressd::agent
