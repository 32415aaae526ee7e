#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "services/agent/command_line.h"
#include "services/agent/facts.h"
#include "services/agent/job/job_file.h"
#include "services/agent/job_plan.h"
#include "services/agent/leftovers.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/run_options.h"
#include "services/agent/run_session.h"
#include "services/common/option_checks.h"

namespace regressd::agent {
namespace {

struct Arguments {
  RunOptions run;
  DeliveryFlags delivery;
  std::string job_file;
  std::vector<std::string> settings;  ///< "k=v".
  bool settings_are_axes = false;
  bool drop_caches = false;
  std::vector<std::string> with_monitors;
  std::vector<std::string> without_monitors;
};

void AddMonitorOptions(CLI::App& app, Arguments* arguments) {
  std::vector<std::string> names;
  for (const MonitorChoice& choice : AllMonitors()) names.emplace_back(choice.name);
  names.emplace_back("all");
  Job& job = arguments->run.job;
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
  app.add_option("--interval-ms", job.interval_ms, "Distance of two samples")
      ->type_name("N")
      ->check(CLI::Range(10, 3'600'000))
      ->default_str("1000");
  app.add_option("--perf-event", job.perf_events,
                 "Event for perf-stat in place of its own choice; may repeat")
      ->type_name("EVENT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--profile-frequency", job.profile_frequency_hz,
                 "Samples a second and CPU of perf-record")
      ->type_name("HZ")
      ->check(CLI::Range(1, 10'000))
      ->default_str("99");
  app.add_option("--profile-event", job.profile_event,
                 "Event of perf-record in place of cycles, or of cpu-clock without a PMU")
      ->type_name("EVENT");
  app.add_option("--profile-window", job.profile_window_s,
                 "Length of one window of perf-record; perf-lock records for a second in each")
      ->type_name("SECONDS")
      ->check(common::FiniteRange(1, 3600))
      ->default_str("60");
}

void AddJobOptions(CLI::App& app, Arguments* arguments) {
  app.add_option("--job", arguments->job_file,
                 "Job in TOML, as `regressctl run ID --job` prints it; options stand over it")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app.add_option("--expect-kernel", arguments->run.job.expect_kernel,
                 "Refuse to run on another kernel: release, tag, describe, or commit in -g<sha>")
      ->type_name("SHA|RELEASE");
}

void AddSetupOptions(CLI::App& app, Arguments* arguments) {
  JobSetup& setup = arguments->run.job.setup;
  app.add_option("--memcg", setup.memcg,
                 "Run the command in a memory cgroup of its own with this limit; axis memcg")
      ->type_name("LIMIT");
  app.add_option("--setup-swap", setup.swap,
                 "A swap space for the run, used before all others; axis swap")
      ->type_name("file:SIZE|zram:SIZE");
  app.add_option("--swap-dir", setup.swap_directory, "Where a swap file is made [/var/tmp]")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  app.add_option("--set", arguments->settings,
                 "Setting for the run: vm.NAME or transparent_hugepage.enabled; may repeat")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--settings-are-axes", arguments->settings_are_axes,
               "Each --set is an axis too; without it only a fact of the run");
  app.add_flag("--drop-caches", arguments->drop_caches,
               "Drop page cache, dentries and inodes before each run");
}

/// What the command line says, put over what the job's file says.
absl::StatusOr<Job> EffectiveJob(const Arguments& arguments, const Command& command,
                                 const model::MachineFacts& facts) {
  absl::StatusOr<Job> job = MakeJob(arguments.run);
  if (!job.ok()) return job;
  job->command = command;
  if (!arguments.with_monitors.empty()) job->monitors = arguments.with_monitors;
  if (arguments.settings_are_axes) job->setup.settings_are_axes = true;
  if (arguments.drop_caches) job->setup.drop_caches = true;
  for (const std::string& text : arguments.settings) {
    absl::StatusOr<KernelSetting> setting = ParseKernelSetting(text);
    if (!setting.ok()) return setting.status();
    job->setup.settings.push_back(*std::move(setting));
  }
  if (!arguments.job_file.empty()) {
    absl::StatusOr<Job> file = ReadJobFile(arguments.job_file);
    if (!file.ok()) return file;
    job = Overlay(*std::move(file), *job);
  }
  return CompleteJob(*std::move(job), {.kernel_release = facts.kernel_release,
                                       .without_monitors = arguments.without_monitors});
}

absl::StatusOr<RunPlan> MakePlan(const Arguments& arguments, const Job& job,
                                 model::MachineFacts facts) {
  facts.tool_versions = ToolVersions();
  absl::StatusOr<RunPlan> plan = PlanOf(job, facts);
  if (!plan.ok()) return plan;
  plan->delivery = MakeDelivery(arguments.delivery);
  plan->stdout_is_ours = arguments.run.json;
  return plan;
}

/// All runs of a job. The program's exit code.
int ExecuteJob(const Arguments& arguments, const Job& job, const RunPlan& plan) {
  TerminationSignal termination;
  Machine machine;
  CleanUpAfterKilled(plan.delivery.spool.directory, machine);
  for (std::int64_t i = 0; i < job.warm_up_runs.value_or(0) && termination.last() == 0; ++i) {
    if (absl::Status status = WarmUp(plan, machine, termination); !status.ok()) {
      const int exit_code = Fail(status);
      return termination.last() == 0 ? exit_code : 128 + termination.last();
    }
  }
  int exit_code = kExitOk;
  for (std::int64_t i = 0; i < job.runs.value_or(1) && termination.last() == 0; ++i) {
    const absl::StatusOr<RunReport> report = ExecuteRun(plan, machine, termination);
    if (!report.ok()) return Fail(report.status());
    PrintReport(*report, arguments.run);
    if (exit_code == kExitOk) exit_code = report->exit_code();
  }
  return exit_code;
}

enum class Mode { kRun, kCollect };

int Execute(const Arguments& arguments, const Command& command, Mode mode) {
  SetUpLog(arguments.run.quiet);
  const model::MachineFacts facts = GatherFacts();
  const absl::StatusOr<Job> job = EffectiveJob(arguments, command, facts);
  if (!job.ok()) return Fail(job.status());
  if (mode == Mode::kRun && job->command.empty()) {
    return Fail(absl::InvalidArgumentError(
        "no command: put it at the end, behind --, or into the job's file; only to watch: "
        "regress-agent collect"));
  }
  if (mode == Mode::kCollect && !job->command.empty()) {
    return Fail(absl::InvalidArgumentError(fmt::format(
        "{} runs a command: regress-agent run --job {}", arguments.job_file, arguments.job_file)));
  }
  const absl::StatusOr<RunPlan> plan = MakePlan(arguments, *job, facts);
  if (!plan.ok()) return Fail(plan.status());
  return ExecuteJob(arguments, *job, *plan);
}

void AddRun(CLI::App& app, const Command& command, int* exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* run = app.add_subcommand(
      "run", "Run a command with monitors around it: run [OPTIONS] -- COMMAND [ARGUMENTS]");
  Job& job = arguments->run.job;
  AddJobOptions(*run, arguments.get());
  AddTo(*run, &arguments->run);
  run->add_option("--runs", job.runs, "Run it so many times, each a run of its own")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000))
      ->default_str("1");
  run->add_option("--warm-up", job.warm_up_runs, "So many times before, watched and stored by none")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->default_str("0");
  run->add_option("--timeout", job.timeout_s,
                  "End the command after so long, as a failed run; 0: never")
      ->type_name("SECONDS")
      ->check(common::FiniteRange(0, 1e8))
      ->default_str("0");
  run->add_option("--reader", job.reader,
                  "What the command's output is (see: regress-agent readers); a run without its "
                  "results has failed then")
      ->type_name("NAME")
      ->check(CLI::IsMember(ReaderNames()));
  run->add_option("--result-file", job.result_files,
                  "Read this in place of the output when the command has ended: a file, or the "
                  "directory of mmtests' logs; may repeat")
      ->type_name("PATH")
      ->take_all()
      ->allow_extra_args(false);
  AddSetupOptions(*run, arguments.get());
  AddMonitorOptions(*run, arguments.get());
  AddTo(*run, &arguments->delivery);
  run->footer(
      "Without --reader the command's lines \"name value [unit] [higher|lower|neither]\" on stdout "
      "become\n"
      "results NAME.name; the file that REGRESS_OBSERVATIONS names becomes its observations; its "
      "rusage\n"
      "becomes NAME.time.*. It ends with the command's own status, 128 + N when signal N killed "
      "it,\n"
      "127 when it could not be started, unless its run could not be delivered: then 3 or 4.\n"
      "\n"
      "--memcg, --setup-swap and --set are made for each run and undone after it; what a killed\n"
      "agent left, the next start undoes: it is noted in --spool-dir before it is made.\n"
      "\n"
      "The file of REGRESS_OBSERVATIONS holds the value of every single operation, as lines:\n"
      "  # truncate_time us lower     announces a metric: name [unit] [higher|lower|neither]\n"
      "  12.25                        a value of the metric announced last\n"
      "  # create_time us lower       announces another one, or goes on with a known one\n"
      "  truncate_time 11.75          a value of any announced metric, by its name\n"
      "Other lines are left out, with a note on the run.");
  run->callback(
      [arguments, &command, exit_code] { *exit_code = Execute(*arguments, command, Mode::kRun); });
}

void AddCollect(CLI::App& app, int* exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* collect = app.add_subcommand(
      "collect", "Only watch, as one run, until SIGINT or SIGTERM or for --duration");
  AddJobOptions(*collect, arguments.get());
  AddTo(*collect, &arguments->run);
  collect->get_option("--testcase")->default_str("collect");
  collect
      ->add_option("--duration", arguments->run.job.duration_s, "End after so long; 0: at a signal")
      ->type_name("SECONDS")
      ->check(common::FiniteRange(0, 1e6))
      ->default_str("0");
  AddMonitorOptions(*collect, arguments.get());
  AddTo(*collect, &arguments->delivery);
  collect->footer("Without --commit the running kernel's release is taken.");
  collect->callback(
      [arguments, exit_code] { *exit_code = Execute(*arguments, {}, Mode::kCollect); });
}

}  // namespace

void AddRunCommands(CLI::App& app, const Command& command, int* exit_code) {
  AddRun(app, command, exit_code);
  AddCollect(app, exit_code);
}

}  // namespace regressd::agent
