#include "services/agent/push_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/agent/facts.h"
#include "services/agent/recorder.h"
#include "services/common/convert.h"

namespace regressd::agent {
namespace {

constexpr std::int32_t kRowsPerBatch = 60;
constexpr std::size_t kMaxNotedProblems = 20;

struct TimeRange {
  model::Time begin = model::Time::max();
  model::Time end = model::Time::min();

  bool empty() const { return begin > end; }
  void Add(model::Time time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
};

TimeRange RangeOf(const std::vector<Recording>& recordings) {
  TimeRange range;
  for (const Recording& recording : recordings) {
    if (recording.floating) continue;
    for (const Row& row : recording.rows) range.Add(row.time);
    for (const StackWindow& window : recording.stacks) {
      range.Add(window.begin_time);
      range.Add(window.begin_time + window.duration);
    }
  }
  return range;
}

/// Gives recordings without times the beginning of the others; with none of these, the time that
/// their file has.
absl::Status PlaceFloating(std::vector<Recording>* recordings) {
  const TimeRange range = RangeOf(*recordings);
  for (Recording& recording : *recordings) {
    if (!recording.floating) continue;
    if (range.empty() && !recording.file_time) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: it does not say when it was recorded; say it with --start-time", recording.file));
    }
    const model::Time begin = range.empty() ? *recording.file_time : range.begin;
    recording.problems.push_back(
        fmt::format("{}: it does not say when it was recorded; the time of {} is taken",
                    recording.file, range.empty() ? "the file" : "the other recordings"));
    for (StackWindow& window : recording.stacks) {
      window.begin_time = begin + window.begin_time.time_since_epoch();
      if (window.duration.count() == 0 && !range.empty()) {
        window.duration = range.end - range.begin;
      }
    }
    recording.floating = false;
  }
  return absl::OkStatus();
}

/// The times of a run with results. Those of recordings are better known than its files'.
absl::Status AddTimes(const PushedResults& results, TimeRange* range) {
  if (results.begin_time) range->Add(*results.begin_time);
  if (results.write_time && (range->empty() || range->begin == range->end)) {
    range->Add(*results.write_time);
  }
  if (!range->empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the results do not say when they were measured; say it with --start-time");
}

absl::Status CheckSources(const std::vector<Recording>& recordings) {
  std::map<std::int32_t, std::string> files;
  for (const Recording& recording : recordings) {
    const auto [first, inserted] = files.try_emplace(recording.source.source_id, recording.file);
    if (inserted) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} and {} are both of source {}; push them as two runs", first->second,
                    recording.file, recording.source.name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunReport> PushRecordings(const model::RunSpec& spec,
                                         std::vector<Recording> recordings, PushedResults results,
                                         const DeliveryOptions& delivery,
                                         TerminationSignal& termination) {
  if (absl::Status status = CheckSources(recordings); !status.ok()) return status;
  if (absl::Status status = PlaceFloating(&recordings); !status.ok()) return status;
  TimeRange range = RangeOf(recordings);
  if (results.collector != nullptr) {
    if (absl::Status status = AddTimes(results, &range); !status.ok()) return status;
  }
  model::RunSpec run = spec;
  run.key = model::ParseRunUuid(DrawRunUuid()).value_or(model::RunKey{});
  run.start_time = range.begin;
  v1::Hello hello;
  hello.set_protocol_version(1);
  common::ToProto(run, hello.mutable_run());
  if (const auto checked = common::FromProto(hello.run(), "run"); !checked.ok()) {
    return checked.status();
  }

  RunReport report;
  report.run_uuid = run.key.uuid;
  // A recording is no live stream: whatever its size, it waits here rather than become a gap.
  DeliveryOptions unbounded = delivery;
  unbounded.spool.max_bytes = SIZE_MAX / 2;
  const std::unique_ptr<Spool> spool = MakeSpool(unbounded.spool, hello);
  const Sender sender(unbounded.sender, *spool);
  Recorder recorder(*spool, kRowsPerBatch);
  for (Recording& recording : recordings) {
    const std::int32_t source_id = recording.source.source_id;
    recorder.Declare(recording.source);
    for (Row& row : recording.rows) recorder.AddRow(source_id, std::move(row));
    for (const StackWindow& window : recording.stacks) recorder.AddStacks(source_id, window);
    for (std::size_t i = 0; i < std::min(recording.problems.size(), kMaxNotedProblems); ++i) {
      recorder.AddNote(recording.source.name, recording.problems[i]);
    }
  }
  if (results.collector != nullptr) {
    if (!results.begin_time && range.begin == range.end) {
      recorder.AddNote("result", "when it was measured is not said; the time of its file is taken");
    }
    results.collector->Send(range.end, {}, &recorder);
    report.result_count = results.collector->result_count();
    report.results = results.collector->values();
    report.command.failure = results.failure;
  }
  recorder.Flush();
  model::RunOutcome outcome;
  outcome.end_time = range.end;
  outcome.failure = report.command.failure;
  outcome.monitor_notes = recorder.notes();
  v1::End end;
  common::ToProto(outcome, end.mutable_outcome());
  spool->End(end);

  report.command.start_time = range.begin;
  report.command.end_time = range.end;
  report.command.elapsed = range.end - range.begin;
  report.sample_count = recorder.sample_count();
  report.metric_count = recorder.metric_count();
  report.monitor_notes = recorder.notes();
  report.delivery = Deliver(unbounded, sender, *spool, termination);
  return report;
}

}  // namespace regressd::agent
