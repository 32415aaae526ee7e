#include "services/agent/run_session.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/agent/clock_watch.h"
#include "services/agent/facts.h"
#include "services/agent/monitors/monitor_set.h"
#include "services/agent/private_directory.h"
#include "services/agent/readers/readers.h"
#include "services/agent/recorder.h"
#include "services/agent/result_files.h"
#include "services/agent/results.h"
#include "services/common/convert.h"

namespace regressd::agent {
namespace {

v1::Hello MakeHello(const model::RunSpec& spec) {
  v1::Hello hello;
  hello.set_protocol_version(1);
  common::ToProto(spec, hello.mutable_run());
  return hello;
}

/// Live samples are at most about a second old when they are sealed.
std::int32_t RowsPerBatch(std::chrono::milliseconds interval) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(1000 / std::max<std::int64_t>(interval.count(), 1), 1, 10));
}

CommandResult Watch(std::chrono::milliseconds duration, const RunClock& clock,
                    TerminationSignal& termination) {
  CommandResult result;
  result.start_time = clock.Now();
  const auto start = std::chrono::steady_clock::now();
  pollfd polled = {.fd = termination.fd(), .events = POLLIN, .revents = 0};
  poll(&polled, 1, duration.count() > 0 ? static_cast<int>(duration.count()) : -1);
  // A signal is the way to end a watch, not a failure.
  termination.Take();
  result.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  result.end_time = clock.Now();
  return result;
}

/// The command of a run whose directory and cgroup are there.
CommandOptions OptionsOf(const RunPlan& plan, const std::string& run_uuid, const RunClock& clock,
                         const PrivateDirectory& directory, const RunSetup& setup) {
  const std::string observations = (directory.path() / "observations").string();
  return {.arguments = plan.command,
          .environment = {{std::string(kRunVariable), run_uuid},
                          {"REGRESS_OBSERVATIONS", observations},
                          {"REGRESS_WORK_DIR", directory.path().string()}},
          .marker = RunMarker(run_uuid),
          .clock = clock,
          .timeout = plan.timeout,
          .stdout_to_stderr = plan.stdout_is_ours,
          .cgroup_directory = setup.cgroup_directory()};
}

/// Null when the plan names no reader.
absl::StatusOr<std::unique_ptr<ResultReader>> ReaderOf(const RunPlan& plan) {
  if (plan.reader.empty()) return nullptr;
  return MakeReader(plan.reader, {.command = plan.command, .axes = plan.spec.axes});
}

/// Ends the reading of the command's results. One whose results cannot be trusted has failed.
/// `begin_time` is when the command began, as file systems would say it.
void FinishReading(const RunPlan& plan, model::Time begin_time, ResultCollector* results,
                   CommandResult* command, Recorder* recorder) {
  if (results->reader() == nullptr) return;
  const absl::Status files =
      ReadResultFiles(plan.result_files, begin_time, results->reader()).status();
  std::string failure = results->FinishReading();
  if (!files.ok())
    failure = fmt::format("reader {}: {}", plan.reader, std::string(files.message()));
  if (failure.empty()) return;
  // Of a command that failed by itself, its own end says more.
  if (command->failed()) {
    recorder->AddNote("result", failure);
  } else {
    command->failure = std::move(failure);
  }
}

/// What the setup changed shows in the facts of its run.
void RefreshFacts(model::MachineFacts* facts) {
  model::MachineFacts now = GatherFacts();
  facts->swap_devices = std::move(now.swap_devices);
  for (auto& [name, value] : now.settings) facts->settings[name] = std::move(value);
}

/// What a run lacks for want of room stands in the run.
void NoteDiskTrouble(const Spool& spool, Recorder* recorder) {
  const std::string trouble = spool.disk_trouble();
  if (trouble.empty()) return;
  recorder->AddNote(
      "spool", fmt::format("{}: samples went on in memory alone; {} of them had no room there and "
                           "are gaps",
                           trouble, spool.stats().lost_seq_count));
}

model::RunOutcome OutcomeOf(const CommandResult& command,
                            std::map<std::string, std::string> notes) {
  model::RunOutcome outcome;
  outcome.end_time = command.end_time;
  outcome.exit_status = command.exit.exit_status;
  outcome.term_signal = command.exit.term_signal;
  outcome.failure = CleanText(command.failure);
  if (command.failed()) outcome.last_output_lines = command.last_output_lines;
  outcome.monitor_notes = std::move(notes);
  return outcome;
}

}  // namespace

int RunReport::exit_code() const {
  if (const ExitCode code = delivery.exit_code(); code != kExitOk) return code;
  if (command.exit.term_signal != 0) return 128 + command.exit.term_signal;
  if (command.exit.exit_status > 0) return command.exit.exit_status;
  if (command.exit.exit_status < 0) return 127;  // As a shell for what could not be started.
  if (command.failed()) return 1;
  return delivery.stats.lost_seq_count > 0 ? kExitSamplesLost : kExitOk;
}

absl::StatusOr<RunReport> ExecuteRun(const RunPlan& plan, Machine& machine,
                                     TerminationSignal& termination) {
  absl::StatusOr<std::unique_ptr<ResultReader>> reader = ReaderOf(plan);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<PrivateDirectory> directory = PrivateDirectory::Create();
  if (!directory.ok()) return directory.status();
  const RunClock clock;
  model::RunSpec spec = plan.spec;
  spec.key = model::ParseRunUuid(DrawRunUuid()).value_or(model::RunKey{});
  spec.start_time = clock.Now();
  for (const std::string& argument : plan.command) spec.command.push_back(ArgumentText(argument));
  // What every server would refuse must not cost a run, nor touch the machine.
  v1::Hello hello = MakeHello(spec);
  if (const auto checked = common::FromProto(hello.run(), "run"); !checked.ok()) {
    return checked.status();
  }

  const absl::StatusOr<std::unique_ptr<RunSetup>> setup = RunSetup::Make(
      plan.setup, spec.key.uuid, SetupDirectory(plan.delivery.spool.directory, machine), machine);
  if (!setup.ok()) return setup.status();
  if (!plan.setup.empty()) RefreshFacts(&spec.facts);
  MonitorSettings settings = plan.monitor_settings;
  settings.testcase = plan.testcase;
  settings.clock = clock;
  settings.work_directory = directory->path();
  settings.cgroup_directory = (*setup)->cgroup_directory();
  MonitorSet monitors(plan.monitors, settings);
  spec.monitor_notes = monitors.notes();
  spec.start_time = clock.Now();
  hello = MakeHello(spec);
  if (const auto checked = common::FromProto(hello.run(), "run"); !checked.ok()) {
    return checked.status();
  }

  RunReport report;
  report.run_uuid = spec.key.uuid;
  const std::unique_ptr<Spool> spool = MakeSpool(plan.delivery.spool, hello);
  const Sender sender(plan.delivery.sender, *spool);
  Recorder recorder(*spool, RowsPerBatch(settings.interval));
  ResultCollector results(plan.testcase, *std::move(reader));
  spdlog::info("run {} of {} begins", report.run_uuid, plan.testcase);

  CommandOptions options = OptionsOf(plan, report.run_uuid, clock, *directory, **setup);
  const bool reads_output = plan.result_files.empty();
  options.on_stderr_line = [&](std::string_view line) {
    if (reads_output) results.TakeLine(line, OutputStream::kStderr);
  };
  ClockWatch clock_watch(clock, recorder);
  monitors.Start(recorder);
  report.command = plan.command.empty()
                       ? Watch(plan.duration, clock, termination)
                       : RunCommand(
                             options, termination,
                             [&](std::string_view line) {
                               if (reads_output) results.TakeLine(line);
                             },
                             [&monitors](pid_t pid) { monitors.CommandStarted(pid); });
  monitors.Stop();
  clock_watch.Stop();
  if (absl::Status status = (*setup)->Undo(); !status.ok()) {
    spdlog::error("{}", std::string(status.message()));
    recorder.AddNote("setup", std::string(status.message()));
  }

  if (!plan.command.empty()) {
    FinishReading(plan, report.command.start_time + clock_watch.furthest_back(), &results,
                  &report.command, &recorder);
    const auto observed =
        SendObservations(directory->path() / "observations", plan.testcase, &recorder);
    if (report.command.exit.exit_status != -1 || report.command.exit.term_signal != 0) {
      results.TakeUsage(report.command);
    }
    results.Send(report.command.end_time, observed, &recorder);
  }
  recorder.Flush();
  NoteDiskTrouble(*spool, &recorder);
  v1::End end;
  common::ToProto(OutcomeOf(report.command, recorder.notes()), end.mutable_outcome());
  spool->End(end);

  report.sample_count = recorder.sample_count();
  report.metric_count = recorder.metric_count();
  report.result_count = results.result_count();
  report.results = results.values();
  report.monitor_notes = spec.monitor_notes;
  for (const auto& [name, note] : recorder.notes()) {
    std::string& all = report.monitor_notes[name];
    if (!all.empty()) all += "; ";
    all += note;
  }
  report.delivery = Deliver(plan.delivery, sender, *spool, termination);
  return report;
}

absl::StatusOr<RunReport> ExecuteRun(const RunPlan& plan, TerminationSignal& termination) {
  Machine machine;
  return ExecuteRun(plan, machine, termination);
}

absl::Status WarmUp(const RunPlan& plan, Machine& machine, TerminationSignal& termination) {
  const absl::StatusOr<PrivateDirectory> directory = PrivateDirectory::Create();
  if (!directory.ok()) return directory.status();
  const std::string run_uuid = DrawRunUuid();
  const absl::StatusOr<std::unique_ptr<RunSetup>> setup = RunSetup::Make(
      plan.setup, run_uuid, SetupDirectory(plan.delivery.spool.directory, machine), machine);
  if (!setup.ok()) return setup.status();
  spdlog::info("warm-up of {}, which is not stored, begins", plan.testcase);
  CommandOptions options = OptionsOf(plan, run_uuid, RunClock(), *directory, **setup);
  // Results on stdout are those of runs that count.
  options.stdout_to_stderr = true;
  const CommandResult result = RunCommand(
      options, termination, [](std::string_view) {}, [](pid_t) {});
  if (absl::Status status = (*setup)->Undo(); !status.ok()) return status;
  if (!result.failed()) return absl::OkStatus();
  return absl::AbortedError(
      fmt::format("the warm-up of {} failed, so nothing was measured: {}", plan.testcase,
                  result.failure.empty() ? result.exit.Describe() : result.failure));
}

}  // namespace regressd::agent
