#include <fmt/format.h>

#include <memory>
#include <optional>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/render_run.h"
#include "services/ctl/run_client.h"
#include "services/report/render_json.h"

namespace regressd::ctl {
namespace {

struct ListOptions {
  std::vector<std::string> axes;
  RunQuery query;
  std::string state;
  std::int32_t limit = 100;
  Format format = Format::kTable;
};

absl::StatusOr<ExitCode> ListRuns(Context& context, ListOptions options) {
  options.query.axes = AxesOf(options.axes);
  model::RunState state;
  if (FromString(options.state, &state)) options.query.state = state;
  const auto runs =
      RunClient(context.connection, context.skipped).List(options.query, options.limit);
  if (!runs.ok()) return runs.status();
  switch (options.format) {
    case Format::kTable:
      context.output.Write(RunTable(*runs));
      break;
    case Format::kJson:
      context.output.Write(report::RenderRunsJson(*runs));
      break;
    case Format::kCsv:
      context.output.Write(RunCsv(*runs));
      break;
  }
  if (runs->empty() && context.skipped_count == 0) {
    Say(context, "no run fits; without filters, `regressctl runs` lists all");
  }
  return ExitCode::kOk;
}

struct ShowOptions {
  std::string run;
  std::string metric_regex;
  bool job = false;
  Format format = Format::kTable;
};

absl::StatusOr<ExitCode> PrintJob(Context& context, const model::Run& run) {
  if (run.spec.job_toml.empty()) {
    return absl::NotFoundError(
        fmt::format("run {} has no job: it was pushed from recordings, or sent by a program that "
                    "keeps none; `regressctl run {}` shows its axes and command",
                    run.spec.key.uuid, run.spec.key.uuid));
  }
  context.output.Write(run.spec.job_toml);
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> ShowRun(Context& context, const ShowOptions& options) {
  const RunClient client(context.connection, context.skipped);
  const absl::StatusOr<model::Run> run = client.Get(options.run);
  if (!run.ok()) return run.status();
  if (options.job) return PrintJob(context, *run);
  if (options.metric_regex.empty()) {
    context.output.Write(options.format == Format::kTable  ? RunText(*run)
                         : options.format == Format::kJson ? report::RenderRunsJson({&*run, 1})
                                                           : RunCsv({&*run, 1}));
    return ExitCode::kOk;
  }
  const auto values = client.ListValues(run->spec.key.uuid, options.metric_regex);
  if (!values.ok()) return values.status();
  switch (options.format) {
    case Format::kTable:
      context.output.Write(RunText(*run) + "\n" + ValueTable(*values));
      break;
    case Format::kJson:
      context.output.Write(ValueJson(run->spec.key.uuid, *values));
      break;
    case Format::kCsv:
      context.output.Write(ValueCsv(*values));
      break;
  }
  if (values->empty() && context.skipped_count == 0) {
    Say(context, run->state == model::RunState::kOpen
                     ? "the run is still open: it has values when it has ended"
                     : "no metric fits; --metric . shows all");
  }
  return ExitCode::kOk;
}

struct ExcludeOptions {
  std::string run;
  std::string reason;
};

absl::StatusOr<ExitCode> ExcludeRun(Context& context, const ExcludeOptions& options) {
  const auto already =
      RunClient(context.connection, context.skipped).Exclude(options.run, options.reason);
  if (!already.ok()) return already.status();
  Say(context,
      *already ? "it was out before; its first reason stays" : "taken out of every comparison");
  return ExitCode::kOk;
}

}  // namespace

void AddRunCommands(Commands& commands) {
  CLI::App* list = commands.app.add_subcommand("runs", "List runs, newest first");
  auto list_options = std::make_shared<ListOptions>();
  AddAxisOption(list, &list_options->axes);
  list->add_option("--commit", list_options->query.commit,
                   "Only of this commit: sha, its first digits, tag, describe, or patch Message-ID")
      ->check(NotEmpty());
  list->add_option("--testbox", list_options->query.testbox, "Only of this machine")
      ->check(NotEmpty());
  list->add_option("--state", list_options->state, "Only in this state")
      ->check(CLI::IsMember({"open", "complete", "failed", "incomplete"}));
  AddLimitOption(list, &list_options->limit);
  AddFormatOption(list, &list_options->format);
  commands.work[list] = [list_options](Context& context) {
    return ListRuns(context, *list_options);
  };

  CLI::App* show = commands.app.add_subcommand("run", "Show one run: what, where, what it sent");
  auto show_options = std::make_shared<ShowOptions>();
  AddRunId(show, &show_options->run);
  show->add_option("--metric", show_options->metric_regex,
                   "Also the values of the metrics that this RE2 finds; . for all")
      ->type_name("REGEX")
      ->check(NotEmpty());
  show->add_flag("--job", show_options->job,
                 "Only its job, for regress-agent run --job FILE: the same test again");
  AddFormatOption(show, &show_options->format);
  commands.work[show] = [show_options](Context& context) {
    return ShowRun(context, *show_options);
  };

  CLI::App* exclude = commands.app.add_subcommand("exclude", "Take a run out of every comparison");
  auto exclude_options = std::make_shared<ExcludeOptions>();
  AddRunId(exclude, &exclude_options->run);
  exclude->add_option("--reason", exclude_options->reason, "Why, for people")
      ->required()
      ->check(NotEmpty());
  commands.work[exclude] = [exclude_options](Context& context) {
    return ExcludeRun(context, *exclude_options);
  };
}

}  // namespace regressd::ctl
