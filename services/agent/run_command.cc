#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "services/agent/command_line.h"
#include "services/agent/facts.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/run_options.h"
#include "services/agent/run_session.h"
#include "services/common/option_checks.h"

namespace regressd::agent {
namespace {

struct Arguments {
  RunOptions run;
  DeliveryFlags delivery;
  int run_count = 1;
  std::vector<std::string> with_monitors;
  std::vector<std::string> without_monitors;
  std::int64_t interval_ms = 1000;
  std::vector<std::string> perf_events;
  int profile_frequency_hz = 99;
  double profile_window_s = 10;
  double timeout_s = 0;
  double duration_s = 0;
};

std::vector<std::string> MonitorNames() {
  std::vector<std::string> names;
  for (const MonitorChoice& choice : AllMonitors()) names.emplace_back(choice.name);
  return names;
}

bool Holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Those named, or the default ones; without those switched off.
std::vector<std::string> ChooseMonitors(const Arguments& arguments) {
  std::vector<std::string> chosen;
  const std::vector<std::string>& wanted = arguments.with_monitors;
  const std::vector<std::string>& unwanted = arguments.without_monitors;
  for (const MonitorChoice& choice : AllMonitors()) {
    const bool on =
        wanted.empty() ? choice.by_default : Holds(wanted, choice.name) || Holds(wanted, "all");
    if (on && !Holds(unwanted, choice.name) && !Holds(unwanted, "all")) {
      chosen.emplace_back(choice.name);
    }
  }
  return chosen;
}

void AddMonitorOptions(CLI::App& app, Arguments* arguments) {
  std::vector<std::string> names = MonitorNames();
  names.emplace_back("all");
  app.add_option("--monitor", arguments->with_monitors,
                 "Only this monitor, or \"all\" (see: regress-agent monitors); may repeat")
      ->type_name("NAME")
      ->check(CLI::IsMember(names))
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--no-monitor", arguments->without_monitors,
                 "Not this monitor, or \"all\"; may repeat")
      ->type_name("NAME")
      ->check(CLI::IsMember(names))
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--interval-ms", arguments->interval_ms,
                 "Distance of two samples; vmstat rounds it up to seconds")
      ->type_name("N")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  app.add_option("--perf-event", arguments->perf_events,
                 "Event for perf-stat in place of its own choice; may repeat")
      ->type_name("EVENT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--profile-frequency", arguments->profile_frequency_hz,
                 "Samples a second and CPU of perf-record")
      ->type_name("HZ")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--profile-window", arguments->profile_window_s,
                 "Length of one window of perf-record")
      ->type_name("SECONDS")
      ->check(common::FiniteRange(1, 3600))
      ->capture_default_str();
}

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

absl::StatusOr<RunPlan> MakePlan(const Arguments& arguments, const Command& command) {
  absl::StatusOr<model::Axes> axes = MakeAxes(arguments.run);
  if (!axes.ok()) return axes.status();
  absl::StatusOr<model::Commit> commit = MakeCommit(arguments.run);
  if (!commit.ok()) return commit.status();
  RunPlan plan;
  plan.spec.axes = *std::move(axes);
  plan.spec.commit = *std::move(commit);
  plan.spec.facts = GatherFacts();
  plan.spec.facts.tool_versions = ToolVersions();
  plan.spec.agent_version = REGRESSD_VERSION;
  plan.testcase = arguments.run.testcase;
  plan.command = command;
  plan.timeout = Milliseconds(arguments.timeout_s);
  plan.duration = Milliseconds(arguments.duration_s);
  plan.monitors = ChooseMonitors(arguments);
  plan.monitor_settings.interval = std::chrono::milliseconds(arguments.interval_ms);
  plan.monitor_settings.perf_events = arguments.perf_events;
  plan.monitor_settings.profile_frequency_hz = arguments.profile_frequency_hz;
  plan.monitor_settings.profile_window = Milliseconds(arguments.profile_window_s);
  plan.delivery = MakeDelivery(arguments.delivery);
  plan.stdout_is_ours = arguments.run.json;
  return plan;
}

int Execute(const Arguments& arguments, const Command& command) {
  SetUpLog(arguments.run.quiet);
  TerminationSignal termination;
  const absl::StatusOr<RunPlan> plan = MakePlan(arguments, command);
  if (!plan.ok()) return Fail(plan.status());
  int exit_code = kExitOk;
  for (int i = 0; i < arguments.run_count; ++i) {
    const absl::StatusOr<RunReport> report = ExecuteRun(*plan, termination);
    if (!report.ok()) return Fail(report.status());
    PrintReport(*report, arguments.run);
    if (exit_code == kExitOk) exit_code = report->exit_code();
    if (termination.last() != 0) break;
  }
  return exit_code;
}

}  // namespace

void AddRunCommands(CLI::App& app, const Command& command, int* exit_code) {
  {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* run = app.add_subcommand(
        "run", "Run a command with monitors around it: run [OPTIONS] -- COMMAND [ARGUMENTS]");
    AddTo(*run, &arguments->run);
    run->add_option("--runs", arguments->run_count, "Run it so many times, each a run of its own")
        ->type_name("N")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    run->add_option("--timeout", arguments->timeout_s,
                    "End the command after so long, as a failed run; 0: never")
        ->type_name("SECONDS")
        ->check(common::FiniteRange(0, 1e8))
        ->capture_default_str();
    AddMonitorOptions(*run, arguments.get());
    AddTo(*run, &arguments->delivery);
    run->footer(
        "The command's lines \"name value [unit] [higher|lower|neither]\" on stdout become "
        "results\n"
        "NAME.name; the file that REGRESS_OBSERVATIONS names becomes its observations; its rusage\n"
        "becomes NAME.time.*. It ends with the command's own status, 128 + N when signal N killed "
        "it,\n"
        "127 when it could not be started, unless its run could not be delivered: then 3 or 4.");
    run->callback([arguments, &command, exit_code] {
      if (command.empty()) {
        throw CLI::ValidationError("no command", "put it at the end, behind --");
      }
      *exit_code = Execute(*arguments, command);
    });
  }
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* collect = app.add_subcommand(
      "collect", "Only watch, as one run, until SIGINT or SIGTERM or for --duration");
  AddTo(*collect, &arguments->run);
  collect->get_option("--testcase")->default_str("collect");
  collect->add_option("--duration", arguments->duration_s, "End after so long; 0: at a signal")
      ->type_name("SECONDS")
      ->check(common::FiniteRange(0, 1e6))
      ->capture_default_str();
  AddMonitorOptions(*collect, arguments.get());
  AddTo(*collect, &arguments->delivery);
  collect->footer("Without --commit the running kernel's release is taken.");
  collect->callback([arguments, exit_code] {
    if (arguments->run.testcase.empty()) arguments->run.testcase = "collect";
    if (arguments->run.commit.empty() && arguments->run.patch_message_id.empty()) {
      arguments->run.commit = GatherFacts().kernel_release;
    }
    *exit_code = Execute(*arguments, {});
  });
}

}  // namespace regressd::agent
