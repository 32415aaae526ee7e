#include <fmt/format.h>

#include <memory>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/regression_client.h"
#include "services/ctl/render_regression.h"
#include "services/report/render_json.h"

namespace regressd::ctl {
namespace {

constexpr const char* kStates[] = {"new",          "confirmed",   "reported",
                                   "acknowledged", "fixed",       "went_away",
                                   "retracted",    "environment", "false_positive"};

std::vector<std::string> StateNames(bool settable_only) {
  std::vector<std::string> names;
  for (const char* name : kStates) {
    model::RegressionState state;
    if (FromString(name, &state) && (!settable_only || IsSettable(state))) names.emplace_back(name);
  }
  return names;
}

struct ListOptions {
  std::vector<std::string> states;
  std::vector<std::string> axes;
  std::string head;
  std::int32_t limit = 100;
  Format format = Format::kTable;
};

absl::StatusOr<ExitCode> ListRegressions(Context& context, const ListOptions& options) {
  RegressionQuery query{.states = {}, .axes = AxesOf(options.axes), .head_commit = options.head};
  for (const std::string& name : options.states) {
    model::RegressionState state;
    if (FromString(name, &state)) query.states.push_back(state);
  }
  const auto regressions =
      RegressionClient(context.connection, context.skipped).List(query, options.limit);
  if (!regressions.ok()) return regressions.status();
  switch (options.format) {
    case Format::kTable:
      context.output.Write(RegressionTable(*regressions));
      break;
    case Format::kJson:
      context.output.Write(report::RenderRegressionsJson(*regressions));
      break;
    case Format::kCsv:
      context.output.Write(RegressionCsv(*regressions));
      break;
  }
  if (regressions->empty() && context.skipped_count == 0) Say(context, "no regression fits");
  return ExitCode::kOk;
}

struct ShowOptions {
  std::int64_t id = 0;
  Format format = Format::kTable;
  std::string new_state;
  std::string comment;
};

absl::StatusOr<ExitCode> ShowRegression(Context& context, const ShowOptions& options) {
  const auto history = RegressionClient(context.connection, context.skipped).Get(options.id);
  if (!history.ok()) return history.status();
  const std::span<const model::Regression> one(&history->regression, 1);
  context.output.Write(options.format == Format::kTable  ? RegressionText(*history)
                       : options.format == Format::kJson ? report::RenderRegressionsJson(one)
                                                         : RegressionCsv(one));
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> SetState(Context& context, const ShowOptions& options) {
  model::RegressionState state = model::RegressionState::kNew;
  FromString(options.new_state, &state);  // The command line was checked against the names.
  const auto regression = RegressionClient(context.connection, context.skipped)
                              .SetState(options.id, state, options.comment);
  if (!regression.ok()) return regression.status();
  Say(context, fmt::format("#{} is {}", regression->regression_id, ToString(regression->state)));
  return ExitCode::kOk;
}

}  // namespace

void AddRegressionCommands(Commands& commands) {
  CLI::App* list = commands.app.add_subcommand("regressions", "List regressions, newest first");
  auto list_options = std::make_shared<ListOptions>();
  list->add_option("--state", list_options->states, "Only in this state; may be given again")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(StateNames(false)));
  AddAxisOption(list, &list_options->axes);
  list->add_option("--head", list_options->head, "Only of this head commit")->check(NotEmpty());
  AddLimitOption(list, &list_options->limit);
  AddFormatOption(list, &list_options->format);
  commands.work[list] = [list_options](Context& context) {
    return ListRegressions(context, *list_options);
  };

  CLI::App* show =
      commands.app.add_subcommand("regression", "Show one regression, or set its state");
  auto options = std::make_shared<ShowOptions>();
  AddRegressionId(show, &options->id);
  AddFormatOption(show, &options->format);
  commands.work[show] = [options](Context& context) { return ShowRegression(context, *options); };

  CLI::App* set = show->add_subcommand("set", "Set the state; final for the worker");
  set->add_option("state", options->new_state, "The new state")
      ->required()
      ->type_name("STATE")
      ->check(CLI::IsMember(StateNames(true)));
  set->add_option("--comment", options->comment, "Why, for people")->required()->check(NotEmpty());
  commands.work[set] = [options](Context& context) { return SetState(context, *options); };
}

}  // namespace regressd::ctl
