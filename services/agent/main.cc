// regress-agent: the program on the test machine.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstring>

#include "services/agent/command_line.h"
#include "services/agent/delivery.h"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok; 2 wrong usage; 3 refused by the server or by this machine; 4 the server "
    "could\n"
    "not be reached, the samples wait for `regress-agent deliver`; 5 `series` goes on once "
    "another\n"
    "kernel runs; 6 delivered, but this machine had no room for all samples, and gaps stand for "
    "them.\n"
    "`run` ends with its command's status when that is not 0 and the run was delivered.\n"
    "\n"
    "Environment: REGRESSD_SERVER is the default of --server, REGRESS_AGENT_SPOOL_DIR of "
    "--spool-dir.";

}  // namespace

int main(int argc, char** argv) {
  // A reader of our output or a dead connection that goes away is an error to handle, not an end.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // So is a file that may not grow.
  // What follows "--" belongs to the command, whatever it looks like.
  int own_count = argc;
  regressd::agent::Command command;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0) continue;
    own_count = i;
    command.assign(argv + i + 1, argv + argc);
    break;
  }

  CLI::App app("Runs workloads with monitors around them and streams what they see to regressd.",
               "regress-agent");
  app.set_version_flag("--version", std::string("regress-agent ") + REGRESSD_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  int exit_code = regressd::agent::kExitOk;
  regressd::agent::AddRunCommands(app, command, &exit_code);
  regressd::agent::AddSeriesCommand(app, &exit_code);
  regressd::agent::AddPushCommands(app, &exit_code);
  regressd::agent::AddWorkloadCommand(app, command, &exit_code);
  regressd::agent::AddMonitorsCommand(app, &exit_code);
  regressd::agent::AddReadersCommand(app, &exit_code);
  try {
    app.parse(own_count, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? regressd::agent::kExitOk : regressd::agent::kExitUsage;
  }
  return exit_code;
}
