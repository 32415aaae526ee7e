#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "services/agent/command_line.h"
#include "services/agent/facts.h"
#include "services/agent/job/job_file.h"
#include "services/agent/job/series_plan.h"
#include "services/agent/job/series_state.h"
#include "services/agent/leftovers.h"
#include "services/agent/noise_table.h"
#include "services/agent/run_options.h"
#include "services/agent/series.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  RunOptions run;  ///< Its quiet and json alone.
  DeliveryFlags delivery;
  std::string plan_file;
  std::string job_file;
  std::string state_file;
  std::int64_t aa_count = 0;
  bool restart = false;
};

absl::StatusOr<SeriesPlan> MakePlan(const Arguments& arguments) {
  if (arguments.aa_count == 0) return ReadSeriesPlan(arguments.plan_file);
  if (!arguments.job_file.empty()) {
    const absl::StatusOr<Job> job = ReadJobFile(arguments.job_file);
    if (!job.ok()) return job.status();
    return MakeAaPlan(*job, arguments.aa_count);
  }
  const absl::StatusOr<SeriesPlan> plan = ReadSeriesPlan(arguments.plan_file);
  if (!plan.ok()) return plan;
  SeriesPlan aa = MakeAaPlan(plan->jobs.front().job, arguments.aa_count);
  aa.warm_up_runs = plan->warm_up_runs;
  aa.cool_down_s = plan->cool_down_s;
  return aa;
}

fs::path StateFile(const Arguments& arguments) {
  if (!arguments.state_file.empty()) return arguments.state_file;
  const std::string& origin = arguments.job_file.empty() ? arguments.plan_file : arguments.job_file;
  return origin + (arguments.aa_count > 0 ? ".aa.state" : ".state");
}

int Execute(const Arguments& arguments) {
  SetUpLog(arguments.run.quiet);
  TerminationSignal termination;
  Machine machine;
  const absl::StatusOr<SeriesPlan> plan = MakePlan(arguments);
  if (!plan.ok()) return Fail(plan.status());
  const fs::path state_file = StateFile(arguments);
  // The number of runs is part of an A/A plan, and no text of it.
  absl::StatusOr<SeriesState> state = SeriesState::Open(
      state_file, fmt::format("{} {}", arguments.aa_count, plan->text), arguments.restart);
  if (!state.ok()) return Fail(state.status());
  SeriesContext context{
      .facts = GatherFacts(),
      .delivery = MakeDelivery(arguments.delivery),
      .stdout_is_ours = arguments.run.json,
      .on_run = [&arguments](const RunReport& report) { PrintReport(report, arguments.run); }};
  context.facts.tool_versions = ToolVersions();
  CleanUpAfterKilled(context.delivery.spool.directory, machine);
  const absl::StatusOr<SeriesReport> report =
      RunSeries(*plan, context, &*state, machine, termination);
  if (!report.ok()) return Fail(report.status());
  if (report->end != SeriesEnd::kDone) return report->exit_code;
  spdlog::info("series: all {} runs are done ({}; --restart begins anew)", state->done().size(),
               state_file.string());
  if (arguments.aa_count > 0 && !arguments.run.json) {
    fmt::print("{}", NoiseTable(state->done()));
    std::fflush(stdout);
  }
  return report->exit_code;
}

constexpr const char* kFooter =
    "A plan in TOML:\n"
    "  rounds = 5                  # runs of each job\n"
    "  order = \"interleaved\"       # ABAB, so that drift meets all alike; or \"blocks\", AABB\n"
    "  warm_up_runs = 1            # of each job before the first run after each boot; not stored\n"
    "  cool_down_s = 10            # between two commands\n"
    "  drop_caches = true          # before each run\n"
    "  switch_kernel = [\"/usr/local/sbin/boot-kernel\"]   # finds the kernel in REGRESS_KERNEL\n"
    "  [[job]]\n"
    "  label = \"base\"              # the commit without it\n"
    "  file = \"swap.toml\"          # a job; keys beside it stand over the file's\n"
    "  commit = \"v6.18\"\n"
    "  kernel = \"6.18.0\"           # as --expect-kernel; left out: whatever runs\n"
    "Jobs may stand in the plan whole, without a file. A job's own runs and warm_up_runs do not "
    "count.\n"
    "\n"
    "Which runs are done is kept in PLAN.state. After a kill or a boot the same call goes on with\n"
    "the next (deploy/regress-agent-series.service). When that wants another kernel, "
    "switch_kernel\n"
    "is run, or it is left to you: exit code 5. With --aa, runs have the axis aa=A or aa=A' and\n"
    "their spread is printed at the end.";

}  // namespace

void AddSeriesCommand(CLI::App& app, int* exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* series = app.add_subcommand(
      "series", "Run several jobs in turns, over kills and boots; or one, to know its noise");
  CLI::Option* plan = series->add_option("--plan", arguments->plan_file, "What is run, in TOML")
                          ->type_name("FILE")
                          ->check(CLI::ExistingFile);
  CLI::Option* aa = series
                        ->add_option("--aa", arguments->aa_count,
                                     "Run --job, or the plan's first job, so many times as A and "
                                     "A' in turns: its own noise here")
                        ->type_name("N")
                        ->check(CLI::Range(2, 10'000));
  series->add_option("--job", arguments->job_file, "The job of --aa")
      ->type_name("FILE")
      ->check(CLI::ExistingFile)
      ->needs(aa)
      ->excludes(plan);
  series->add_option("--state", arguments->state_file, "Where is kept what is done [FILE.state]")
      ->type_name("FILE");
  series->add_flag("--restart", arguments->restart, "Forget what is done");
  series->add_flag("--quiet,-q", arguments->run.quiet, "Say only what went wrong");
  series->add_flag("--json", arguments->run.json, "Print one line of JSON for each run on stdout");
  AddTo(*series, &arguments->delivery);
  series->footer(kFooter);
  series->callback([arguments, exit_code] {
    if (arguments->plan_file.empty() && arguments->job_file.empty()) {
      throw CLI::RequiredError("--plan, or --aa with --job,");
    }
    *exit_code = Execute(*arguments);
  });
}

}  // namespace regressd::agent
