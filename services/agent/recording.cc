#include "services/agent/recording.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "services/agent/monitors/perf_stat_rows.h"
#include "services/agent/monitors/proc_files.h"
#include "services/agent/stack_folder.h"
#include "services/model/catalog.h"
#include "services/model/names.h"
#include "services/parse/folded.h"
#include "services/parse/perf_script.h"
#include "services/parse/perf_stat.h"
#include "services/parse/proc_key_value.h"
#include "services/parse/text.h"
#include "services/parse/vmstat.h"

namespace regressd::agent {
namespace {

using std::chrono::microseconds;

constexpr model::Names<RecordingFormat, 5> kFormats = {{
    {RecordingFormat::kVmstat, "vmstat"},
    {RecordingFormat::kProcVmstat, "proc-vmstat"},
    {RecordingFormat::kPerfStat, "perf-stat"},
    {RecordingFormat::kPerfScript, "perf-script"},
    {RecordingFormat::kFolded, "folded"},
}};

void AddProblems(const parse::Problems& problems, Recording* recording) {
  for (const parse::Problem& problem : problems) {
    recording->problems.push_back(fmt::format("{}: {}", recording->file, problem.message));
  }
}

absl::Status NoSamples(const Recording& recording, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("{}: no {} in it{}{}", recording.file, what,
                  recording.problems.empty() ? "" : "; first problem: ",
                  recording.problems.empty() ? "" : recording.problems.front()));
}

model::Time FromAbsl(absl::Time time) {
  return model::Time(microseconds(absl::ToUnixMicros(time)));
}

microseconds FromSeconds(double seconds) {
  return std::chrono::round<microseconds>(std::chrono::duration<double>(seconds));
}

/// What a vmstat command line says about its output.
struct VmstatCommand {
  parse::VmstatOptions options;
  std::chrono::seconds interval{1};
};

absl::StatusOr<VmstatCommand> ReadVmstatCommand(const RecordingOptions& options) {
  VmstatCommand result;
  result.options.time_zone = options.time_zone;
  std::vector<std::string_view> words;
  parse::SplitWords(options.vmstat_command, &words);
  bool has_delay = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (i == 0 && !word.starts_with('-')) continue;  // The program itself.
    if (word == "-y" || word == "--no-first") {
      result.options.has_since_boot_row = false;
    } else if (word.starts_with("-S") || word == "--unit") {
      std::string_view letter = word.starts_with("-S") ? word.substr(2) : std::string_view();
      if (letter.empty() && i + 1 < words.size()) letter = words[++i];
      const auto unit_bytes = parse::UnitBytes(letter);
      if (!unit_bytes) {
        return absl::InvalidArgumentError(
            fmt::format("--vmstat-command: unit \"{}\" is none of k, K, m, M", letter));
      }
      result.options.unit_bytes = *unit_bytes;
    } else if (const auto number = parse::ToInt(word); number && !has_delay && *number > 0) {
      result.interval = std::chrono::seconds(*number);
      has_delay = true;
    }
  }
  return result;
}

absl::StatusOr<Recording> ReadVmstat(Recording recording, std::string_view text,
                                     const RecordingOptions& options) {
  absl::StatusOr<VmstatCommand> command = ReadVmstatCommand(options);
  if (!command.ok()) return command.status();
  const parse::VmstatText vmstat = parse::ParseVmstat(text, command->options);
  AddProblems(vmstat.problems, &recording);
  ColumnTable table({.source_id = kVmstatSource,
                     .name = "vmstat",
                     .content = model::SourceContent::kIntSamples,
                     .metrics = {},
                     .period_us = microseconds(command->interval).count()});
  std::int64_t row_number = command->options.has_since_boot_row ? 0 : 1;
  for (const parse::VmstatSample& sample : vmstat.samples) {
    const std::int64_t this_row = row_number++;
    if (sample.since_boot) continue;
    model::Time time;
    if (sample.time) {
      time = *sample.time;
    } else if (!sample.time_text.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: the zone of \"{}\" is not known; say it with --time-zone",
                      recording.file, sample.line, sample.time_text));
    } else if (options.start_time) {
      time = *options.start_time + this_row * command->interval;
    } else {
      return absl::InvalidArgumentError(
          fmt::format("{}: vmstat ran without -t, so its rows have no time; say with --start-time "
                      "when it began",
                      recording.file));
    }
    table.BeginRow();
    const auto& columns = vmstat.layouts[static_cast<std::size_t>(sample.layout)].columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      table.Set(columns[i].metric, sample.values[i], columns[i].scale);
    }
    recording.rows.push_back(table.TakeRow(time));
  }
  if (recording.rows.empty()) return NoSamples(recording, "vmstat interval");
  recording.source = table.source();
  return recording;
}

absl::StatusOr<Recording> ReadProcVmstat(Recording recording, std::string_view text) {
  const parse::Recording snapshots = parse::SplitRecording(text);
  AddProblems(snapshots.problems, &recording);
  ColumnTable table({.source_id = kProcSource,
                     .name = "proc",
                     .content = model::SourceContent::kIntSamples,
                     .metrics = {},
                     .period_us = 1'000'000});
  parse::ProcVmstatReader reader;
  std::vector<parse::ProcVmstatValue> values;
  for (const parse::RecordedSnapshot& snapshot : snapshots.snapshots) {
    const bool taken = reader.Read(snapshot.text, &values, snapshot.first_line);
    AddProblems(reader.TakeProblems(), &recording);
    if (!taken) continue;
    table.BeginRow();
    for (const parse::ProcVmstatValue& value : values) {
      table.Set("proc-vmstat." + std::string(value.name),
                value.below_zero != 0 ? value.below_zero : static_cast<std::int64_t>(value.value));
    }
    recording.rows.push_back(table.TakeRow(snapshot.time));
  }
  if (recording.rows.empty())
    return NoSamples(recording, "snapshot under a line \"### <seconds>\"");
  recording.source = table.source();
  return recording;
}

absl::StatusOr<model::Time> PerfStatStart(const Recording& recording, const std::string& started_on,
                                          const RecordingOptions& options) {
  if (options.start_time) return *options.start_time;
  absl::Time time;
  std::string error;
  if (!started_on.empty() &&
      absl::ParseTime("%a %b %e %H:%M:%S %Y", started_on,
                      options.time_zone.value_or(absl::UTCTimeZone()), &time, &error)) {
    return FromAbsl(time);
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: it does not say when perf started; say it with --start-time", recording.file));
}

absl::StatusOr<Recording> ReadPerfStat(Recording recording, std::string_view text,
                                       const RecordingOptions& options) {
  const parse::PerfStatText perf = parse::ParsePerfStat(text);
  AddProblems(perf.problems, &recording);
  const absl::StatusOr<model::Time> start = PerfStatStart(recording, perf.started_on, options);
  if (!start.ok()) return start.status();
  PerfStatRows rows(1'000'000);
  const auto keep = [&](std::optional<PerfStatRows::Interval> interval) {
    if (!interval) return;
    interval->row.time = *start + FromSeconds(interval->time_s);
    recording.rows.push_back(std::move(interval->row));
  };
  const bool has_times = std::any_of(perf.rows.begin(), perf.rows.end(),
                                     [](const auto& row) { return row.time_s.has_value(); });
  for (const parse::PerfStatRow& row : perf.rows) {
    keep(rows.Take(row));
    if (row.time_s || row.summary || !has_times) continue;
    recording.problems.push_back(
        fmt::format("{}:{}: no time stands before {}, so it belongs to no interval; it is left out",
                    recording.file, row.line, parse::Quote(row.event)));
  }
  keep(rows.TakeIfComplete(0));
  if (const std::string faults = rows.Faults(); !faults.empty()) {
    recording.problems.push_back(fmt::format("{}: {}", recording.file, faults));
  }
  if (recording.rows.empty()) return NoSamples(recording, "interval of perf stat -I");
  recording.source = rows.table().source();
  return recording;
}

void DescribeStacks(const std::string& event, std::int64_t period_us, Recording* recording) {
  recording->source = {.source_id = kPerfRecordSource,
                       .name = "perf-record",
                       .content = model::SourceContent::kStacks,
                       .metrics = {model::Declare("perf-profile." + event)},
                       .period_us = period_us};
}

absl::StatusOr<Recording> ReadPerfScript(Recording recording, std::string_view text,
                                         const RecordingOptions& options) {
  const parse::PerfScriptText script = parse::ParsePerfScript(text);
  AddProblems(script.problems, &recording);
  const auto first = std::find_if(
      script.samples.begin(), script.samples.end(),
      [](const parse::PerfScriptSample& sample) { return parse::NameFault(sample.event).empty(); });
  if (first == script.samples.end()) return NoSamples(recording, "sample of perf script");
  const std::string& event = first->event;
  const auto first_time = first->time;
  // Its clock counts since boot, so only distances mean something.
  std::map<std::int64_t, std::map<std::string, std::int64_t>> windows;
  std::int64_t other_event_count = 0;
  for (const parse::PerfScriptSample& sample : script.samples) {
    if (sample.event != event) {
      ++other_event_count;
      continue;
    }
    std::int64_t window = 0;
    if (sample.time && first_time && *sample.time > *first_time) {
      window = (*sample.time - *first_time) / options.window;
    }
    ++windows[window][parse::Fold(sample)];
  }
  if (other_event_count > 0) {
    recording.problems.push_back(
        fmt::format("{}: {} samples of events other than {} left out; push them on their own",
                    recording.file, other_event_count, event));
  }
  recording.floating = !options.start_time;
  const model::Time begin = options.start_time.value_or(model::Time());
  for (const auto& [number, counts] : windows) {
    recording.stacks.push_back({.begin_time = begin + number * options.window,
                                .duration = options.window,
                                .counts = {counts.begin(), counts.end()}});
  }
  DescribeStacks(event, microseconds(options.window).count(), &recording);
  return recording;
}

absl::StatusOr<Recording> ReadFolded(Recording recording, std::string_view text,
                                     const RecordingOptions& options) {
  const parse::FoldedText folded = parse::ParseFolded(text);
  AddProblems(folded.problems, &recording);
  std::map<std::string, std::int64_t> counts;
  for (const parse::FoldedStack& stack : folded.stacks) {
    if (stack.count > 0) {
      counts[std::string(stack.stack)] += static_cast<std::int64_t>(stack.count);
    }
  }
  if (counts.empty()) return NoSamples(recording, "line \"frame;frame count\"");
  recording.floating = !options.start_time;
  recording.stacks.push_back({.begin_time = options.start_time.value_or(model::Time()),
                              .duration = microseconds(0),
                              .counts = {counts.begin(), counts.end()}});
  DescribeStacks(options.event, 0, &recording);
  return recording;
}

std::optional<model::Time> FileTime(const std::string& file) {
  struct stat info = {};
  if (stat(file.c_str(), &info) != 0) return std::nullopt;
  return model::Time(std::chrono::seconds(info.st_mtim.tv_sec) +
                     microseconds(info.st_mtim.tv_nsec / 1000));
}

bool LooksLikeVmstat(std::string_view line) {
  const std::string_view trimmed = parse::Trim(line);
  return trimmed.starts_with("procs ") || trimmed.starts_with("--procs--") ||
         trimmed.starts_with("r  b ") || trimmed.starts_with("r b ");
}

}  // namespace

std::string_view ToString(RecordingFormat format) { return model::NameOf(kFormats, format); }

std::optional<RecordingFormat> ParseRecordingFormat(std::string_view text) {
  RecordingFormat format{};
  if (!model::ValueOf(kFormats, text, &format)) return std::nullopt;
  return format;
}

std::optional<RecordingFormat> DetectFormat(std::string_view text) {
  std::string_view rest = text;
  std::string_view line;
  for (int i = 0; i < 40 && parse::NextLine(&rest, &line); ++i) {
    if (parse::Trim(line).empty()) continue;
    if (LooksLikeVmstat(line)) return RecordingFormat::kVmstat;
    if (line.starts_with("### ")) return RecordingFormat::kProcVmstat;
    if (line.starts_with("# started on")) return RecordingFormat::kPerfStat;
    if (line.starts_with('#')) continue;
    parse::PerfStatReader perf_stat;
    if (perf_stat.Feed(line) != nullptr) return RecordingFormat::kPerfStat;
    if (parse::LooksFolded(line)) return RecordingFormat::kFolded;
    // `perf script`: a header, then frames behind a tab, or one line a sample.
    parse::PerfScriptReader script;
    script.Feed(line);
    if (script.Finish() != nullptr) return RecordingFormat::kPerfScript;
    return std::nullopt;
  }
  return std::nullopt;
}

absl::StatusOr<Recording> ReadRecording(const std::string& file, std::string_view text,
                                        const RecordingOptions& options) {
  const std::optional<RecordingFormat> format =
      options.format ? options.format : DetectFormat(text);
  if (!format) {
    return absl::InvalidArgumentError(
        fmt::format("{}: none of the known formats; say it with --format", file));
  }
  Recording recording{.file = file,
                      .source = {},
                      .rows = {},
                      .stacks = {},
                      .file_time = FileTime(file),
                      .problems = {}};
  switch (*format) {
    case RecordingFormat::kVmstat:
      return ReadVmstat(std::move(recording), text, options);
    case RecordingFormat::kProcVmstat:
      return ReadProcVmstat(std::move(recording), text);
    case RecordingFormat::kPerfStat:
      return ReadPerfStat(std::move(recording), text, options);
    case RecordingFormat::kPerfScript:
      return ReadPerfScript(std::move(recording), text, options);
    case RecordingFormat::kFolded:
      return ReadFolded(std::move(recording), text, options);
  }
  return absl::InvalidArgumentError(fmt::format("{}: unknown format", file));
}

}  // namespace regressd::agent
