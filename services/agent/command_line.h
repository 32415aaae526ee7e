#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace regressd::agent {

/// What stood behind "--" on the command line: the command and its arguments.
using Command = std::vector<std::string>;

/// Each adds one subcommand to `app`. When it was chosen and its arguments are good, `*exit_code`
/// is set to what the program ends with. `command` outlives the parsing.
void AddRunCommands(CLI::App& app, const Command& command, int* exit_code);  ///< run, collect
void AddSeriesCommand(CLI::App& app, int* exit_code);
void AddPushCommands(CLI::App& app, int* exit_code);                         ///< push, deliver
void AddMonitorsCommand(CLI::App& app, int* exit_code);
void AddReadersCommand(CLI::App& app, int* exit_code);
void AddWorkloadCommand(CLI::App& app, const Command& command, int* exit_code);

}  // namespace regressd::agent
