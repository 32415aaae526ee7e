#include "services/agent/series.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <utility>

#include "services/agent/expected_kernel.h"
#include "services/agent/job_plan.h"

namespace regressd::agent {
namespace {

// Those that say something of a run as a whole; the others of its rusage follow from it.
constexpr std::array kTimes = {".time.elapsed_time", ".time.user_time", ".time.system_time"};
constexpr std::string_view kTimeMark = ".time.";

bool IsHeadline(const std::string& name) {
  for (const std::string_view time : kTimes) {
    if (name.ends_with(time)) return true;
  }
  return name.find(kTimeMark) == std::string::npos;
}

std::map<std::string, double> Headlines(const RunReport& report) {
  std::map<std::string, double> values;
  for (const ResultCollector::Value& result : report.results) {
    if (IsHeadline(result.metric.name)) values[result.metric.name] = result.value;
  }
  return values;
}

/// One call of RunSeries.
class Series {
 public:
  Series(const SeriesPlan& plan, const SeriesContext& context, SeriesState* state, Machine& machine,
         TerminationSignal& termination)
      : plan_(plan),
        context_(context),
        state_(state),
        machine_(machine),
        termination_(termination) {}

  absl::StatusOr<SeriesReport> Run() {
    if (absl::Status status = MakePlans(); !status.ok()) return status;
    SeriesReport report;
    while (state_->done().size() < plan_.steps.size()) {
      const SeriesJob& next = NextJob();
      if (!Runs(next)) return SwitchKernel(next.kernel);
      if (absl::Status status = WarmUpAll(); !status.ok()) return status;
      if (termination_.last() != 0) return Interrupted();
      CoolDown();
      if (termination_.last() != 0) return Interrupted();
      const absl::StatusOr<bool> over = RunStep();
      if (!over.ok()) return over.status();
      if (!*over) return Interrupted();
    }
    for (const DoneStep& step : state_->done()) {
      if (report.exit_code == 0) report.exit_code = step.exit_code;
    }
    return report;
  }

 private:
  const SeriesJob& NextJob() const { return plan_.jobs[plan_.steps[state_->done().size()]]; }

  bool Runs(const SeriesJob& job) const {
    return job.kernel.empty() || IsKernel(job.kernel, context_.facts.kernel_release);
  }

  /// For all jobs, so that a mistake in the last one costs no run. Those of another kernel wait.
  absl::Status MakePlans() {
    for (const SeriesJob& entry : plan_.jobs) {
      absl::StatusOr<Job> job =
          CompleteJob(entry.job, {.kernel_release = context_.facts.kernel_release});
      if (!job.ok()) return Named(entry, job.status());
      Job elsewhere = *job;
      if (!Runs(entry)) elsewhere.expect_kernel.clear();
      absl::StatusOr<RunPlan> plan = PlanOf(elsewhere, context_.facts);
      if (!plan.ok()) return Named(entry, plan.status());
      plan->delivery = context_.delivery;
      plan->stdout_is_ours = context_.stdout_is_ours;
      run_plans_.push_back(*std::move(plan));
    }
    return absl::OkStatus();
  }

  static absl::Status Named(const SeriesJob& entry, const absl::Status& status) {
    return absl::Status(status.code(),
                        fmt::format("job {}: {}", entry.label, std::string(status.message())));
  }

  /// All that this kernel can run, before the first run of any: the machine is warm for all alike.
  absl::Status WarmUpAll() {
    const std::string& boot_id = context_.facts.boot_id;
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      if (plan_.warm_up_runs == 0 || !Runs(plan_.jobs[i]) || state_->IsWarm(i, boot_id)) continue;
      for (std::int64_t n = 0; n < plan_.warm_up_runs; ++n) {
        CoolDown();
        if (termination_.last() != 0) return absl::OkStatus();
        absl::Status status = WarmUp(run_plans_[i], machine_, termination_);
        if (termination_.last() != 0) return absl::OkStatus();
        if (!status.ok()) return Named(plan_.jobs[i], status);
        hot_ = true;
      }
      if (absl::Status status = state_->SetWarm(i, boot_id); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  /// After a command, at most until a signal comes.
  void CoolDown() {
    if (!std::exchange(hot_, false) || plan_.cool_down_s <= 0) return;
    pollfd polled = {.fd = termination_.fd(), .events = POLLIN, .revents = 0};
    poll(&polled, 1, static_cast<int>(plan_.cool_down_s * 1000));
    termination_.Take();
  }

  /// False when a signal interrupted it.
  absl::StatusOr<bool> RunStep() {
    const std::size_t number = state_->done().size();
    const SeriesJob& entry = NextJob();
    spdlog::info("series: run {} of {}, {}", number + 1, plan_.steps.size(), entry.label);
    const absl::StatusOr<RunReport> report =
        ExecuteRun(run_plans_[plan_.steps[number]], machine_, termination_);
    if (!report.ok()) return Named(entry, report.status());
    hot_ = true;
    if (context_.on_run) context_.on_run(*report);
    if (termination_.last() != 0 && report->command.failed()) return false;
    absl::Status status = state_->AddDone({.label = entry.label,
                                           .run_uuid = report->run_uuid,
                                           .exit_code = report->exit_code(),
                                           .values = Headlines(*report)});
    if (!status.ok()) return status;
    return termination_.last() == 0;
  }

  SeriesReport Interrupted() const {
    spdlog::warn("series: interrupted after {} of {} runs; the same call goes on",
                 state_->done().size(), plan_.steps.size());
    return {.end = SeriesEnd::kInterrupted, .exit_code = 128 + termination_.last()};
  }

  absl::StatusOr<SeriesReport> SwitchKernel(const std::string& kernel) {
    const std::string& release = context_.facts.kernel_release;
    const std::string& boot_id = context_.facts.boot_id;
    if (state_->asked_kernel() == kernel && state_->asked_boot_id() != boot_id) {
      return absl::FailedPreconditionError(
          fmt::format("kernel {} was asked for, and {} came up; look why it does not boot, boot it "
                      "by hand, and the same call goes on",
                      kernel, release));
    }
    if (plan_.switch_kernel.empty()) {
      spdlog::warn(
          "series: {} of {} runs are done; the next wants kernel {}, and {} runs: boot it, "
          "and the same call goes on",
          state_->done().size(), plan_.steps.size(), kernel, release);
      return SeriesReport{.end = SeriesEnd::kOtherKernel, .exit_code = kExitOtherKernel};
    }
    if (absl::Status status = state_->SetAsked(kernel, boot_id); !status.ok()) return status;
    spdlog::warn("series: {} of {} runs are done; switch_kernel is to boot {}",
                 state_->done().size(), plan_.steps.size(), kernel);
    const CommandResult result = RunCommand(
        {.arguments = plan_.switch_kernel,
         .environment = {{"REGRESS_KERNEL", kernel}},
         .stdout_to_stderr = context_.stdout_is_ours},
        termination_, [](std::string_view) {}, [](pid_t) {});
    if (!result.failed()) {
      return SeriesReport{.end = SeriesEnd::kOtherKernel, .exit_code = kExitOtherKernel};
    }
    // A shutdown ends the command that began it: whether it worked, the next boot tells.
    if (termination_.last() != 0) return Interrupted();
    return absl::AbortedError(
        fmt::format("switch_kernel for {} failed: {}", kernel,
                    result.failure.empty() ? result.exit.Describe() : result.failure));
  }

  const SeriesPlan& plan_;
  const SeriesContext& context_;
  SeriesState* const state_;
  Machine& machine_;
  TerminationSignal& termination_;
  std::vector<RunPlan> run_plans_;
  bool hot_ = false;  ///< A command has run since the last cool-down.
};

}  // namespace

absl::StatusOr<SeriesReport> RunSeries(const SeriesPlan& plan, const SeriesContext& context,
                                       SeriesState* state, Machine& machine,
                                       TerminationSignal& termination) {
  return Series(plan, context, state, machine, termination).Run();
}

}  // namespace regressd::agent
