#include "services/parse/gnu_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "services/parse/scanner.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

struct VerboseName {
  std::string_view label;
  std::string_view name;
};

constexpr VerboseName kVerboseNames[] = {
    {"User time (seconds)", "user_time"},
    {"System time (seconds)", "system_time"},
    {"Percent of CPU this job got", "percent_of_cpu_this_job_got"},
    {"Elapsed (wall clock) time (h:mm:ss or m:ss)", "elapsed_time"},
    {"Maximum resident set size (kbytes)", "maximum_resident_set_size"},
    {"Major (requiring I/O) page faults", "major_page_faults"},
    {"Minor (reclaiming a frame) page faults", "minor_page_faults"},
    {"Voluntary context switches", "voluntary_context_switches"},
    {"Involuntary context switches", "involuntary_context_switches"},
    {"Swaps", "swaps"},
    {"File system inputs", "file_system_inputs"},
    {"File system outputs", "file_system_outputs"},
    {"Socket messages sent", "socket_messages_sent"},
    {"Socket messages received", "socket_messages_received"},
};
constexpr std::string_view kVerboseBegin = "Command being timed: ";
constexpr std::string_view kVerboseEnd = "Exit status: ";

/// "0.00user 0.01system 0:00.02elapsed 88%CPU (0avgtext+0avgdata 968maxresident)k", also behind
/// other text that had no line end.
bool ReadDefaultFirstLine(std::string_view text, TimedCommand* out) {
  std::vector<std::string_view> words;
  SplitWords(text, &words);
  const auto ends_with = [&words](std::size_t i, std::string_view end) {
    return i < words.size() && words[i].ends_with(end);
  };
  const auto without = [&words](std::size_t i, std::string_view end) {
    return words[i].substr(0, words[i].size() - end.size());
  };
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (!ends_with(i, "user") || !ends_with(i + 1, "system") || !ends_with(i + 2, "elapsed")) {
      continue;
    }
    const std::optional<double> system_s = ToDouble(without(i + 1, "system"));
    const std::optional<double> elapsed_s = ParseClock(without(i + 2, "elapsed"));
    if (!system_s || !elapsed_s) continue;
    // Glued to other text it is no number that can be trusted: "job 3" and "4.5user".
    if (const std::optional<double> user_s = ToDouble(without(i, "user"))) {
      out->figures.push_back({"user_time", *user_s});
    }
    out->figures.push_back({"system_time", *system_s});
    out->figures.push_back({"elapsed_time", *elapsed_s});
    if (ends_with(i + 3, "%CPU")) {
      // "?%CPU" of what took no time.
      const std::optional<double> percent = ToDouble(without(i + 3, "%CPU"));
      if (percent) out->figures.push_back({"percent_of_cpu_this_job_got", *percent});
    }
    if (ends_with(i + 5, "maxresident)k")) {
      const std::optional<double> size_kib = ToDouble(without(i + 5, "maxresident)k"));
      if (size_kib) out->figures.push_back({"maximum_resident_set_size", *size_kib});
    }
    return true;
  }
  return false;
}

bool IsPortableLine(std::string_view text, std::string_view label, double* seconds) {
  std::vector<std::string_view> words;
  SplitWords(text, &words);
  if (words.size() != 2 || words[0] != label) return false;
  const std::optional<double> value = ParseClock(words[1]);
  if (value) *seconds = *value;
  return value.has_value();
}

}  // namespace

std::optional<double> TimedCommand::Find(std::string_view name) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const Figure& figure) { return figure.name == name; });
  return found == figures.end() ? std::nullopt : std::optional(found->value);
}

std::optional<double> ParseClock(std::string_view text) {
  char separator = ':';
  if (text.ends_with('s')) {
    text.remove_suffix(1);
    separator = 'm';
  }
  std::vector<std::string_view> fields;
  SplitFields(text, separator, &fields);
  if (fields.size() > 3) return std::nullopt;
  double seconds = 0;
  for (const std::string_view field : fields) {
    const std::optional<double> value = ToDouble(field);
    if (!value || *value < 0) return std::nullopt;
    seconds = seconds * 60 + *value;
  }
  return seconds;
}

void TimeReportReader::Fail(std::string reason) {
  if (failure_.empty()) failure_ = std::move(reason);
}

bool TimeReportReader::Begins(const InputLine& line) {
  Format format = Format::kNone;
  TimedCommand begun;
  double elapsed_s = 0;
  if (Trim(line.text).starts_with(kVerboseBegin)) {
    format = Format::kVerbose;
  } else if (ReadDefaultFirstLine(line.text, &begun)) {
    format = Format::kDefault;
  } else if (IsPortableLine(line.text, "real", &elapsed_s)) {
    format = Format::kPortable;
    begun.figures.push_back({"elapsed_time", elapsed_s});
  }
  if (format == Format::kNone) return false;
  End();
  format_ = format;
  running_ = std::move(begun);
  begin_ = Where(line);
  return true;
}

void TimeReportReader::ReadEnd(const InputLine& line) {
  constexpr std::string_view kEnds[] = {"Command exited with non-zero status ",
                                        "Command terminated by signal ",
                                        "Command stopped by signal "};
  for (const std::string_view end : kEnds) {
    if (Trim(line.text).starts_with(end)) {
      Fail(fmt::format("{}: the timed command failed: {}", Where(line), Quote(Trim(line.text))));
    }
  }
}

void TimeReportReader::Feed(const InputLine& line) {
  ReadEnd(line);
  if (Begins(line)) return;
  switch (format_) {
    case Format::kNone:
      break;
    case Format::kDefault:
      ReadDefaultSecondLine(line.text);
      End();
      break;
    case Format::kVerbose:
      ReadVerbose(line);
      break;
    case Format::kPortable:
      ReadPortable(line.text);
      break;
  }
}

void TimeReportReader::ReadDefaultSecondLine(std::string_view text) {
  // "0inputs+8outputs (1major+69minor)pagefaults 0swaps"
  Scanner scanner(text);
  double inputs = 0;
  double outputs = 0;
  double major_faults = 0;
  double minor_faults = 0;
  double swaps = 0;
  if (scanner.Number(&inputs) && scanner.Text("inputs+") && scanner.Number(&outputs) &&
      scanner.Text("outputs (") && scanner.Number(&major_faults) && scanner.Text("major+") &&
      scanner.Number(&minor_faults) && scanner.Text("minor)pagefaults ") &&
      scanner.Number(&swaps) && scanner.Text("swaps")) {
    running_.figures.insert(running_.figures.end(), {{"file_system_inputs", inputs},
                                                     {"file_system_outputs", outputs},
                                                     {"major_page_faults", major_faults},
                                                     {"minor_page_faults", minor_faults},
                                                     {"swaps", swaps}});
  }
}

void TimeReportReader::ReadVerbose(const InputLine& line) {
  const std::string_view text = Trim(line.text);
  if (text.starts_with(kVerboseEnd)) {
    if (text.substr(kVerboseEnd.size()) != "0") {
      Fail(fmt::format("{}: the timed command failed: {}", Where(line), Quote(text)));
    }
    commands_.push_back(std::exchange(running_, {}));
    format_ = Format::kNone;
    return;
  }
  for (const auto& [label, name] : kVerboseNames) {
    if (!text.starts_with(label) || !text.substr(label.size()).starts_with(": ")) continue;
    std::string_view number = text.substr(label.size() + 2);
    if (number == "?%") return;
    if (number.ends_with('%')) number.remove_suffix(1);
    const std::optional<double> value =
        name == "elapsed_time" ? ParseClock(number) : ToDouble(number);
    if (value) {
      running_.figures.push_back({name, *value});
    } else {
      Fail(fmt::format("{}: {} has no number", Where(line), Quote(text)));
    }
    return;
  }
}

void TimeReportReader::ReadPortable(std::string_view text) {
  double seconds = 0;
  const bool has_user = running_.Find("user_time").has_value();
  if (!has_user && IsPortableLine(text, "user", &seconds)) {
    running_.figures.push_back({"user_time", seconds});
  } else if (has_user && IsPortableLine(text, "sys", &seconds)) {
    running_.figures.push_back({"system_time", seconds});
    commands_.push_back(std::exchange(running_, {}));
    format_ = Format::kNone;
  } else {
    format_ = Format::kNone;  // Somebody else's line "real 5".
  }
}

void TimeReportReader::End() {
  if (format_ == Format::kDefault) commands_.push_back(std::exchange(running_, {}));
  if (format_ == Format::kVerbose) {
    Fail(fmt::format("the report of GNU time that begins at {} breaks off", begin_));
  }
  format_ = Format::kNone;
}

std::vector<TimedCommand> TimeReportReader::Finish() {
  End();
  return std::exchange(commands_, {});
}

void GnuTimeParser::Feed(const InputLine& line) {
  auto reader = readers_.find(line.input);
  if (reader == readers_.end()) {
    reader = readers_.try_emplace(std::string(line.input)).first;
  }
  reader->second.Feed(line);
}

BenchmarkResults GnuTimeParser::Finish() {
  BenchmarkResults out;
  for (auto& [input, reader] : readers_) {
    for (const TimedCommand& command : reader.Finish()) {
      for (const auto& [name, value] : command.figures) {
        out.results.push_back({.name = fmt::format("time.{}", name), .value = value, .unit = ""});
      }
    }
    if (out.failure.empty()) out.failure = reader.failure();
  }
  return out;
}

}  // namespace regressd::parse
