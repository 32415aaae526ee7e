#include <CLI/CLI.hpp>

#include "services/agent/command_line.h"
#include "services/agent/workloads/options.h"

namespace regressd::agent {

void AddWorkloadCommand(CLI::App& app, const Command& command, int* exit_code) {
  CLI::App* workload = app.add_subcommand(
      "workload", "Run a load of our own; its results are lines \"name value unit better\"");
  workload->require_subcommand(1);
  workload->footer("Exit status 1 when the load's check of itself fails, with what was seen.");
  AddPageFaultWorkloads(*workload, exit_code);
  AddSparseTruncateWorkload(*workload, exit_code);
  AddSwapWorkloads(*workload, exit_code);
  AddFileReadWorkloads(*workload, exit_code);
  AddBuildWorkload(*workload, command, exit_code);
}

}  // namespace regressd::agent
