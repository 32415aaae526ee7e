#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "services/agent/command_line.h"
#include "services/agent/deliver_session.h"
#include "services/agent/facts.h"
#include "services/agent/leftovers.h"
#include "services/agent/push_session.h"
#include "services/agent/readers/readers.h"
#include "services/agent/recording.h"
#include "services/agent/result_files.h"
#include "services/agent/run_options.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

struct Arguments {
  RunOptions run;
  DeliveryFlags delivery;
  std::vector<std::string> files;
  std::string reader;
  std::vector<std::string> recordings;  ///< Beside the files of a reader.
  std::string format;
  std::string testbox;
  std::string start_time;
  std::string time_zone;
  std::string vmstat_command;
  std::string event;
};

absl::StatusOr<RecordingOptions> MakeOptions(const Arguments& arguments) {
  RecordingOptions options;
  if (!arguments.format.empty()) options.format = ParseRecordingFormat(arguments.format);
  options.vmstat_command = arguments.vmstat_command;
  if (!arguments.event.empty()) options.event = arguments.event;
  if (const std::string_view fault = parse::NameFault(options.event); !fault.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("--event {} {}; give perf's name of it", parse::Quote(options.event), fault));
  }
  if (!arguments.time_zone.empty()) {
    absl::TimeZone zone;
    if (!absl::LoadTimeZone(arguments.time_zone, &zone)) {
      return absl::InvalidArgumentError(fmt::format(
          "--time-zone \"{}\" is not known; for example Europe/Berlin", arguments.time_zone));
    }
    options.time_zone = zone;
  }
  if (!arguments.start_time.empty()) {
    absl::Time time;
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, arguments.start_time, &time, &error)) {
      return absl::InvalidArgumentError(fmt::format(
          "--start-time \"{}\": write it as 2026-11-30T17:30:53Z", arguments.start_time));
    }
    options.start_time = model::Time(std::chrono::microseconds(absl::ToUnixMicros(time)));
  }
  return options;
}

absl::StatusOr<std::vector<Recording>> ReadAll(const Arguments& arguments,
                                               TerminationSignal& termination) {
  const absl::StatusOr<RecordingOptions> options = MakeOptions(arguments);
  if (!options.ok()) return options.status();
  std::vector<Recording> recordings;
  const auto& files = arguments.reader.empty() ? arguments.files : arguments.recordings;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadRecordingFile(file, termination.fd());
    if (!text.ok()) return text.status();
    if (termination.Take() != 0) return absl::CancelledError("interrupted");
    absl::StatusOr<Recording> recording = ReadRecording(file, *text, *options);
    if (!recording.ok()) return recording.status();
    if (termination.Take() != 0) return absl::CancelledError("interrupted");
    for (const std::string& problem : recording->problems) spdlog::warn("{}", problem);
    recordings.push_back(*std::move(recording));
  }
  return recordings;
}

absl::StatusOr<PushedResults> ReadResults(const Arguments& arguments, const model::Axes& axes,
                                          TerminationSignal& termination) {
  if (arguments.reader.empty()) return PushedResults{};
  absl::StatusOr<std::unique_ptr<ResultReader>> reader =
      MakeReader(arguments.reader, {.command = {}, .axes = axes});
  if (!reader.ok()) return reader.status();
  const absl::StatusOr<RecordingOptions> options = MakeOptions(arguments);
  if (!options.ok()) return options.status();
  const absl::StatusOr<std::optional<model::Time>> write_time =
      ReadResultFiles(arguments.files, std::nullopt, reader->get(), termination.fd());
  if (!write_time.ok()) return write_time.status();
  PushedResults results;
  results.collector =
      std::make_unique<ResultCollector>(arguments.run.job.testcase, *std::move(reader));
  results.failure = results.collector->FinishReading();
  results.begin_time = options->start_time;
  results.write_time = *write_time;
  return results;
}

/// Exit code of a command that a signal ended before it had anything to store.
int Interrupted(const absl::Status& status, TerminationSignal& termination) {
  if (termination.last() == 0) termination.Take();
  spdlog::error("{} (signal {}); nothing was stored", std::string(status.message()),
                termination.last());
  return 128 + termination.last();
}

int Push(const Arguments& arguments) {
  SetUpLog(arguments.run.quiet);
  TerminationSignal termination;
  const absl::StatusOr<Job> job = MakeJob(arguments.run);
  if (!job.ok()) return Fail(job.status());
  absl::StatusOr<model::Axes> axes = JobAxes(*job);
  if (!axes.ok()) return Fail(axes.status());
  absl::StatusOr<model::Commit> commit = JobCommit(*job);
  if (!commit.ok()) return Fail(commit.status());
  absl::StatusOr<std::vector<Recording>> recordings = ReadAll(arguments, termination);
  if (absl::IsCancelled(recordings.status())) return Interrupted(recordings.status(), termination);
  if (!recordings.ok()) return Fail(recordings.status());
  absl::StatusOr<PushedResults> results = ReadResults(arguments, *axes, termination);
  if (absl::IsCancelled(results.status())) return Interrupted(results.status(), termination);
  if (!results.ok()) return Fail(results.status());
  model::RunSpec spec;
  spec.axes = *std::move(axes);
  spec.commit = *std::move(commit);
  // Nothing else of this machine need hold for the one that was recorded.
  spec.facts.testbox = arguments.testbox.empty() ? GatherFacts().testbox : arguments.testbox;
  spec.agent_version = REGRESSD_VERSION;
  const absl::StatusOr<RunReport> report =
      PushRecordings(spec, *std::move(recordings), *std::move(results),
                     MakeDelivery(arguments.delivery), termination);
  if (!report.ok()) return Fail(report.status());
  PrintReport(*report, arguments.run);
  return report->exit_code();
}

}  // namespace

void AddPushCommands(CLI::App& app, int* exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* push = app.add_subcommand("push", "Send recordings as one run with their own times");
  push->add_option(
          "files", arguments->files,
          "Recordings: vmstat text, /proc/vmstat snapshots each under a line \"### "
          "<unix seconds>\", perf stat -I, perf script, folded stacks; .xz too; - is stdin. With "
          "--reader: a finished benchmark's logs")
      ->type_name("FILE")
      ->required();
  AddTo(*push, &arguments->run);
  push->add_option("--reader", arguments->reader,
                   "The files are what this benchmark wrote (see: regress-agent readers); without "
                   "its results the run is stored as failed")
      ->type_name("NAME")
      ->check(CLI::IsMember(ReaderNames()));
  push->add_option("--recording", arguments->recordings,
                   "With --reader: a recording of the same run; may repeat")
      ->type_name("FILE")
      ->needs("--reader")
      ->take_all()
      ->allow_extra_args(false);
  push->add_option("--format", arguments->format, "Format of the files; detected without it")
      ->type_name("NAME")
      ->check(CLI::IsMember({"vmstat", "proc-vmstat", "perf-stat", "perf-script", "folded"}));
  push->add_option("--testbox", arguments->testbox,
                   "Machine that was recorded; this one without it")
      ->type_name("HOST");
  push->add_option("--start-time", arguments->start_time,
                   "When a recording without times of its own began, RFC 3339")
      ->type_name("TIME");
  push->add_option("--time-zone", arguments->time_zone, "Zone of the times printed in recordings")
      ->type_name("NAME");
  push->add_option("--vmstat-command", arguments->vmstat_command,
                   "vmstat's own command line: its -S, -y and delay leave no mark in the text")
      ->type_name("TEXT");
  push->add_option("--event", arguments->event, "Event of folded stacks [cpu-clock]")
      ->type_name("NAME");
  AddTo(*push, &arguments->delivery);
  push->callback([arguments, exit_code] { *exit_code = Push(*arguments); });

  const auto flags = std::make_shared<DeliveryFlags>();
  const auto quiet = std::make_shared<bool>(false);
  CLI::App* deliver =
      app.add_subcommand("deliver", "Send what earlier runs could not bring to the server");
  AddTo(*deliver, flags.get());
  deliver->add_flag("--quiet,-q", *quiet, "Say only what went wrong");
  deliver->callback([flags, quiet, exit_code] {
    SetUpLog(*quiet);
    TerminationSignal termination;
    Machine machine;
    CleanUpAfterKilled(flags->spool_directory, machine);
    *exit_code = DeliverLeftovers(MakeDelivery(*flags), termination);
  });
}

}  // namespace regressd::agent
