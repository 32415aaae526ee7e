#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
#include "services/ctl/exit_code.h"
#include "services/ctl/output.h"
#include "services/ctl/progress.h"
#include "services/ctl/skipped.h"
#include "services/model/axes.h"

namespace regressd::ctl {

/// What a command works with.
struct Context {
  const Connection& connection;
  Output& output;
  Skipped skipped;  ///< Tells the user, and counts.
  std::int64_t skipped_count = 0;
  Progress::Style progress = Progress::Style::kNone;
  bool color = false;  ///< Standard output is a terminal that wants it.
  bool quiet = false;
};

/// A command's work, after the command line was read.
using Work = std::function<absl::StatusOr<ExitCode>(Context&)>;

/// The subcommands of the program and what each does.
struct Commands {
  CLI::App& app;
  std::map<const CLI::App*, Work> work;
};

/// Each adds the subcommands of one concern.
void AddCommitCommands(Commands& commands);
void AddRunCommands(Commands& commands);
void AddSampleCommands(Commands& commands);
void AddCompareCommand(Commands& commands);
void AddRegressionCommands(Commands& commands);
void AddReportCommand(Commands& commands);
void AddWatchCommand(Commands& commands);
void AddCompletionCommand(Commands& commands);

/// Adds "--axis KEY=VALUE", which may be given again, for another key.
void AddAxisOption(CLI::App* app, std::vector<std::string>* axes);
/// What such an option gave; its form was checked.
model::Axes AxesOf(const std::vector<std::string>& axes);

/// Adds "--limit N".
void AddLimitOption(CLI::App* app, std::int32_t* limit);

enum class Format { kTable, kJson, kCsv };

/// Adds "--format table|json|csv" and "--json" for short; `first_name` is what the table is called.
void AddFormatOption(CLI::App* app, Format* format, const std::string& first_name = "table");

/// A line about what was done, on standard error, unless --quiet.
void Say(const Context& context, const std::string& text);

}  // namespace regressd::ctl
