#include "services/agent/run_session.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/agent/facts.h"
#include "services/agent/monitors/monitor_set.h"
#include "services/agent/private_directory.h"
#include "services/agent/recorder.h"
#include "services/agent/results.h"
#include "services/agent/ticker.h"
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

CommandResult Watch(std::chrono::milliseconds duration, TerminationSignal& termination) {
  CommandResult result;
  result.start_time = WallNow();
  const auto start = std::chrono::steady_clock::now();
  pollfd polled = {.fd = termination.fd(), .events = POLLIN, .revents = 0};
  poll(&polled, 1, duration.count() > 0 ? static_cast<int>(duration.count()) : -1);
  // A signal is the way to end a watch, not a failure.
  termination.Take();
  result.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  result.end_time = WallNow();
  return result;
}

CommandResult RunWithResults(const RunPlan& plan, const std::string& run_uuid,
                             const PrivateDirectory& directory, TerminationSignal& termination,
                             MonitorSet* monitors, ResultCollector* results) {
  const std::string observations = (directory.path() / "observations").string();
  const CommandOptions options{.arguments = plan.command,
                               .environment = {{std::string(kRunVariable), run_uuid},
                                               {"REGRESS_OBSERVATIONS", observations},
                                               {"REGRESS_WORK_DIR", directory.path().string()}},
                               .marker = RunMarker(run_uuid),
                               .timeout = plan.timeout,
                               .stdout_to_stderr = plan.stdout_is_ours};
  return RunCommand(
      options, termination, [results](std::string_view line) { results->TakeLine(line); },
      [monitors](pid_t pid) { monitors->CommandStarted(pid); });
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
  return command.failed() ? 1 : kExitOk;
}

absl::StatusOr<RunReport> ExecuteRun(const RunPlan& plan, TerminationSignal& termination) {
  absl::StatusOr<PrivateDirectory> directory = PrivateDirectory::Create();
  if (!directory.ok()) return directory.status();
  MonitorSettings settings = plan.monitor_settings;
  settings.testcase = plan.testcase;
  settings.work_directory = directory->path();
  MonitorSet monitors(plan.monitors, settings);

  model::RunSpec spec = plan.spec;
  spec.key = model::ParseRunUuid(DrawRunUuid()).value_or(model::RunKey{});
  spec.start_time = WallNow();
  spec.monitor_notes = monitors.notes();
  for (const std::string& argument : plan.command) spec.command.push_back(CleanText(argument));
  const v1::Hello hello = MakeHello(spec);
  // What every server would refuse must not cost a run.
  if (const auto checked = common::FromProto(hello.run(), "run"); !checked.ok()) {
    return checked.status();
  }

  RunReport report;
  report.run_uuid = spec.key.uuid;
  const std::unique_ptr<Spool> spool = MakeSpool(plan.delivery.spool, hello);
  const Sender sender(plan.delivery.sender, *spool);
  Recorder recorder(*spool, RowsPerBatch(settings.interval));
  ResultCollector results(plan.testcase);
  spdlog::info("run {} of {} begins", report.run_uuid, plan.testcase);

  monitors.Start(recorder);
  report.command = plan.command.empty() ? Watch(plan.duration, termination)
                                        : RunWithResults(plan, report.run_uuid, *directory,
                                                         termination, &monitors, &results);
  monitors.Stop();

  if (!plan.command.empty()) {
    const auto observed =
        SendObservations(directory->path() / "observations", plan.testcase, &recorder);
    if (report.command.exit.exit_status != -1 || report.command.exit.term_signal != 0) {
      results.TakeUsage(report.command);
    }
    results.Send(report.command.end_time, observed, &recorder);
  }
  recorder.Flush();
  v1::End end;
  common::ToProto(OutcomeOf(report.command, recorder.notes()), end.mutable_outcome());
  spool->End(end);

  report.sample_count = recorder.sample_count();
  report.metric_count = recorder.metric_count();
  report.result_count = results.result_count();
  report.monitor_notes = spec.monitor_notes;
  for (const auto& [name, note] : recorder.notes()) {
    std::string& all = report.monitor_notes[name];
    if (!all.empty()) all += "; ";
    all += note;
  }
  report.delivery = Deliver(plan.delivery, sender, *spool, termination);
  return report;
}

}  // namespace regressd::agent
