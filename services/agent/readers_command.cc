#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "services/agent/command_line.h"
#include "services/agent/delivery.h"
#include "services/agent/readers/readers.h"

namespace regressd::agent {
namespace {

int ListReaders(bool as_json) {
  for (const ReaderChoice& choice : AllReaders()) {
    if (as_json) {
      const nlohmann::json json = {{"name", choice.name},
                                   {"reads", choice.reads},
                                   {"results", choice.results},
                                   {"needs_files", choice.needs_files}};
      fmt::print("{}\n", json.dump());
      continue;
    }
    fmt::print("{:<14} reads {}\n", choice.name, choice.reads);
    fmt::print("{:14} gives {}\n", "", choice.results);
  }
  return kExitOk;
}

}  // namespace

void AddReadersCommand(CLI::App& app, int* exit_code) {
  const auto as_json = std::make_shared<bool>(false);
  CLI::App* readers = app.add_subcommand(
      "readers", "List what `run` and `push` can read a benchmark's results from (--reader)");
  readers->add_flag("--json", *as_json, "One line of JSON for each");
  readers->callback([as_json, exit_code] { *exit_code = ListReaders(*as_json); });
}

}  // namespace regressd::agent
