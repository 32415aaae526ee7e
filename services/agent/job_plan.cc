#include "services/agent/job_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/agent/expected_kernel.h"
#include "services/agent/job/job_file.h"
#include "services/agent/monitors/monitor.h"
#include "services/agent/readers/readers.h"
#include "services/agent/setup/size.h"
#include "services/common/near_name.h"

namespace regressd::agent {
namespace {

constexpr std::int64_t kDefaultIntervalMs = 1000;
constexpr std::int64_t kDefaultFrequencyHz = 99;
constexpr double kDefaultWindowS = 60;
constexpr const char* kAll = "all";
constexpr const char* kProfiler = "perf-record";
constexpr const char* kLockMonitor = "perf-lock";

bool Holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status CheckMonitors(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const MonitorChoice& choice : AllMonitors()) known.emplace_back(choice.name);
  for (const std::string& name : names) {
    if (name == kAll || Holds(known, name)) continue;
    const std::string near = common::NearName(name, known);
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is no monitor; {}", name,
                    near.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                 : fmt::format("did you mean {}?", near)));
  }
  return absl::OkStatus();
}

/// Those named, or the default ones; without those switched off.
std::vector<std::string> ChooseMonitors(const std::optional<std::vector<std::string>>& wanted,
                                        const std::vector<std::string>& unwanted) {
  std::vector<std::string> chosen;
  for (const MonitorChoice& choice : AllMonitors()) {
    const bool on =
        wanted ? Holds(*wanted, choice.name) || Holds(*wanted, kAll) : choice.by_default;
    if (on && !Holds(unwanted, choice.name) && !Holds(unwanted, kAll)) {
      chosen.emplace_back(choice.name);
    }
  }
  return chosen;
}

absl::Status CheckReader(const Job& job) {
  if (job.reader.empty()) {
    if (job.result_files.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--result-file needs a --reader that says what is in it (see: regress-agent readers)");
  }
  for (const std::string& file : job.result_files) {
    if (file == "-") return absl::InvalidArgumentError("--result-file -: name a file");
  }
  for (const ReaderChoice& choice : AllReaders()) {
    if (choice.name != job.reader || !choice.needs_files || !job.result_files.empty()) continue;
    return absl::InvalidArgumentError(
        fmt::format("reader {} reads {}; say where with --result-file", job.reader, choice.reads));
  }
  return absl::OkStatus();
}

/// Whole milliseconds.
std::chrono::milliseconds Milliseconds(const std::optional<double>& seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds.value_or(0) * 1000));
}

/// Leaves out what says no more than nothing.
template <typename T>
void DropIf(const T& idle, std::optional<T>* value) {
  if (*value && **value == idle) value->reset();
}

/// As JobText of the job as the wire takes it, whose arguments are UTF-8. Line ends stay: they are
/// a shell's.
std::string StorableText(Job job) {
  for (std::string& argument : job.command) argument = Utf8Text(argument);
  return JobText(job);
}

}  // namespace

absl::StatusOr<Job> CompleteJob(Job job, const JobDefaults& defaults) {
  const absl::StatusOr<SetupOptions> setup = JobSetupOptions(job);
  if (!setup.ok()) return setup.status();
  if (job.monitors) {
    if (absl::Status status = CheckMonitors(*job.monitors); !status.ok()) return status;
  }
  job.monitors = ChooseMonitors(job.monitors, defaults.without_monitors);
  if (setup->memory_limit_bytes) job.setup.memcg = SizeText(*setup->memory_limit_bytes);
  if (setup->swap) job.setup.swap = SwapSpecText(*setup->swap);
  job.interval_ms = job.interval_ms.value_or(kDefaultIntervalMs);
  if (Holds(*job.monitors, kProfiler)) {
    job.profile_frequency_hz = job.profile_frequency_hz.value_or(kDefaultFrequencyHz);
  } else {
    job.profile_frequency_hz.reset();
    job.profile_event.clear();
  }
  if (Holds(*job.monitors, kProfiler) || Holds(*job.monitors, kLockMonitor)) {
    job.profile_window_s = job.profile_window_s.value_or(kDefaultWindowS);
  } else {
    job.profile_window_s.reset();
  }
  DropIf(false, &job.setup.drop_caches);
  DropIf(false, &job.setup.settings_are_axes);
  if (job.command.empty()) {
    if (job.testcase.empty()) job.testcase = "collect";
    if (job.commit.empty() && job.patch.message_id.empty()) job.commit = defaults.kernel_release;
    DropIf(0.0, &job.duration_s);
    return job;
  }
  job.runs = job.runs.value_or(1);
  DropIf(std::int64_t{0}, &job.warm_up_runs);
  DropIf(0.0, &job.timeout_s);
  if (absl::Status status = CheckReader(job); !status.ok()) return status;
  return job;
}

absl::StatusOr<RunPlan> PlanOf(const Job& job, const model::MachineFacts& facts) {
  if (!job.expect_kernel.empty()) {
    absl::Status status = CheckKernel(job.expect_kernel, facts.kernel_release);
    if (!status.ok()) return status;
  }
  absl::StatusOr<model::Axes> axes = JobAxes(job);
  if (!axes.ok()) return axes.status();
  absl::StatusOr<model::Commit> commit = JobCommit(job);
  if (!commit.ok()) return commit.status();
  absl::StatusOr<SetupOptions> setup = JobSetupOptions(job);
  if (!setup.ok()) return setup.status();
  RunPlan plan;
  plan.spec.axes = *std::move(axes);
  plan.spec.commit = *std::move(commit);
  plan.spec.facts = facts;
  plan.spec.job_toml = StorableText(job);
  plan.spec.agent_version = REGRESSD_VERSION;
  plan.testcase = job.testcase;
  plan.command = job.command;
  plan.reader = job.reader;
  plan.result_files = job.result_files;
  plan.timeout = Milliseconds(job.timeout_s);
  plan.duration = Milliseconds(job.duration_s);
  plan.monitors = job.monitors.value_or(std::vector<std::string>{});
  plan.monitor_settings.interval =
      std::chrono::milliseconds(job.interval_ms.value_or(kDefaultIntervalMs));
  plan.monitor_settings.perf_events = job.perf_events;
  plan.monitor_settings.profile_frequency_hz =
      static_cast<int>(job.profile_frequency_hz.value_or(kDefaultFrequencyHz));
  plan.monitor_settings.profile_window =
      Milliseconds(job.profile_window_s.value_or(kDefaultWindowS));
  plan.monitor_settings.profile_event = job.profile_event;
  plan.setup = *std::move(setup);
  return plan;
}

}  // namespace regressd::agent
