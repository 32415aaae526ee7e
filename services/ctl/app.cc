#include "services/ctl/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "services/common/near_name.h"
#include "services/common/option_checks.h"
#include "services/ctl/command.h"
#include "services/ctl/settings.h"
#include "services/report/text.h"

namespace regressd::ctl {
namespace {

constexpr const char* kFooter =
    "\nEvery command takes --server HOST:PORT, --timeout SECONDS and --quiet, too.\n"
    "\nExit status:\n"
    "  0   all went well\n"
    "  1   a regression was found (only with compare --exit-code)\n"
    "  2   the command line, environment or configuration file is wrong\n"
    "  3   what was given is refused\n"
    "  4   the server does not answer in time, or not at all\n"
    "  5   no such run, commit, metric or regression\n"
    "  6   nothing to compare: no runs of equal axes\n"
    "  70  a fault of the server or of regressctl\n"
    "\nThe server is that of --server, else of REGRESSD_SERVER, else of `server = \"HOST:PORT\"` "
    "in\n"
    "$XDG_CONFIG_HOME/regressctl.toml, else 127.0.0.1:7878.\n"
    "In CSV, text that begins with = + - or @ has an apostrophe in front, lest a spreadsheet runs "
    "it.";

constexpr const char* kFooterOfCommands =
    "\nExit status, and the options of every command: regressctl --help\n";

struct Globals {
  std::optional<std::string> server;
  double timeout_seconds = 30;
  bool quiet = false;
};

void AddGlobals(CLI::App* app, Globals* globals) {
  app->add_option("--server", globals->server, "Where regressd listens")->type_name("HOST:PORT");
  app->add_option("--timeout", globals->timeout_seconds, "Seconds that one call may take")
      ->capture_default_str()
      ->check(common::FiniteRange(0.001, 86400).description(""));
  app->add_flag("--quiet,-q", globals->quiet, "Nothing but errors on standard error");
  app->set_version_flag("--version", std::string("regressctl ") + REGRESSD_VERSION);
  app->require_subcommand(1);
  // Options of the program may also follow the command.
  app->fallthrough();
  // Commands take over what stands here when they are added.
  app->footer(kFooterOfCommands);
}

// Text of other machines, line by line safe for this terminal.
void PrintError(std::string_view text) {
  std::string out;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = rest.find('\n');
    fmt::format_to(std::back_inserter(out), "{}{}\n", out.empty() ? "regressctl: " : "  ",
                   report::OneLine(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  fmt::print(stderr, "{}", out);
}

const CLI::App* Deepest(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return command;
}

// The command whose line went wrong, as far as its words are commands.
const CLI::App* Meant(const CLI::App& app, const std::vector<std::string>& arguments,
                      std::string* unknown) {
  const CLI::App* command = &app;
  bool is_value = false;
  for (const std::string& word : arguments) {
    if (std::exchange(is_value, false)) continue;
    if (word.starts_with('-')) {
      const CLI::Option* option = app.get_option_no_throw(word);
      is_value = option != nullptr && option->get_items_expected_max() > 0;
      continue;
    }
    const auto subs = command->get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::find_if(subs.begin(), subs.end(),
                                    [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (found != subs.end()) {
      command = *found;
    } else if (!subs.empty() && unknown->empty()) {
      *unknown = word;
    }
  }
  return command;
}

// "regressctl commits add".
std::string PathOf(const CLI::App* command) {
  std::string path = command->get_name();
  while ((command = command->get_parent()) != nullptr) path = command->get_name() + ' ' + path;
  return path;
}

// Somebody who does not know how a line is written asks with a line that is wrong.
bool AsksForHelp(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
}

std::string HelpOf(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::string unknown;
  const CLI::App* command = Meant(app, arguments, &unknown);
  const CLI::App* parent = command->get_parent();
  return command->help(parent == nullptr ? "" : PathOf(parent));
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = common::NearName(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

// The first option that neither the command nor the program has, and the one that was meant.
std::string UnknownOption(const CLI::App& app, const CLI::App& command,
                          const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  for (const CLI::App* place : {&command, &app}) {
    for (const CLI::Option* option : place->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != end; ++argument) {
    const std::string name = argument->substr(0, argument->find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    return fmt::format("{} is no option of {}{}", name, PathOf(&command), DidYouMean(name, known));
  }
  return "";
}

void PrintUsageError(const CLI::App& app, const std::vector<std::string>& arguments,
                     const CLI::ParseError& error) {
  std::string unknown;
  const CLI::App* command = Meant(app, arguments, &unknown);
  std::string message = error.what();
  if (!unknown.empty() && command->get_require_subcommand_min() > 0) {
    message = fmt::format("\"{}\" is no command{}{}", unknown, command == &app ? "" : " of ",
                          command == &app ? "" : command->get_name());
    std::vector<std::string> names;
    for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(sub->get_name());
    }
    message += DidYouMean(unknown, names);
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string option = UnknownOption(app, *command, arguments);
    if (!option.empty()) message = option;
  }
  PrintError(fmt::format("{}\nSee {} --help.", message, PathOf(command)));
}

ExitCode Fail(const absl::Status& status) {
  PrintError(std::string(status.message()));
  return ExitCodeOf(status);
}

ExitCode RunCommand(const Invocation& invocation, const Globals& globals, const Work& work) {
  const auto server = FindServer(globals.server, invocation.environment);
  if (!server.ok()) {
    PrintError(std::string(server.status().message()));
    return ExitCode::kUsage;
  }
  const auto timeout =
      std::chrono::milliseconds(std::max(1L, std::lround(globals.timeout_seconds * 1000)));
  const Connection connection(*server, timeout);
  Output output(invocation.data);
  const auto no_color = invocation.environment.find("NO_COLOR");
  const bool plain = no_color != invocation.environment.end() && !no_color->second.empty();
  Context context{.connection = connection,
                  .output = output,
                  .skipped = nullptr,
                  .progress = globals.quiet                  ? Progress::Style::kNone
                              : invocation.error_is_terminal ? Progress::Style::kTerminal
                                                             : Progress::Style::kLines,
                  .color = invocation.data_is_terminal && !plain,
                  .quiet = globals.quiet};
  context.skipped = [&context](const std::string& what, const absl::Status& why) {
    ++context.skipped_count;
    PrintError(
        report::OneLine(fmt::format("{} is not shown: {}", what, std::string(why.message()))));
  };
  const absl::StatusOr<ExitCode> code = work(context);
  const absl::Status written = output.Finish();
  if (!code.ok()) return Fail(code.status());
  return written.ok() ? *code : Fail(written);
}

}  // namespace

ExitCode RunRegressctl(const Invocation& invocation) {
  CLI::App app("Reads what regressd knows, and tells it about commits", "regressctl");
  Globals globals;
  AddGlobals(&app, &globals);
  Commands commands{.app = app, .work = {}};
  AddCommitCommands(commands);
  AddRunCommands(commands);
  AddSampleCommands(commands);
  AddCompareCommand(commands);
  AddRegressionCommands(commands);
  AddReportCommand(commands);
  AddWatchCommand(commands);
  AddCompletionCommand(commands);
  app.footer(kFooter);
  try {
    std::vector<std::string> reversed(invocation.arguments.rbegin(), invocation.arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    const bool is_wrong = error.get_exit_code() != 0;
    if (is_wrong && !AsksForHelp(invocation.arguments)) {
      PrintUsageError(app, invocation.arguments, error);
      return ExitCode::kUsage;
    }
    std::ostringstream help;
    if (is_wrong) {
      help << HelpOf(app, invocation.arguments);
    } else {
      app.exit(error, help, help);
    }
    Output output(invocation.data);
    output.Write(help.str());
    const absl::Status written = output.Finish();
    return written.ok() ? ExitCode::kOk : Fail(written);
  }
  return RunCommand(invocation, globals, commands.work.at(Deepest(app)));
}

}  // namespace regressd::ctl
