#include "services/parse/proc_key_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "services/model/catalog.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

// Readings of a gauge from here up are small negative numbers printed as unsigned.
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

constexpr int kAllPressureFields = 15;

// Reads "avg10=0.25" or the like; the bit of the field that it was, 0 for none.
int ReadPressureField(std::string_view word, PressureLine* pressure) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return 0;
  const std::string_view key = word.substr(0, equals);
  const std::string_view text = word.substr(equals + 1);
  if (key == "total") {
    const std::optional<std::uint64_t> total = ToUnsigned(text);
    pressure->total_us = total.value_or(0);
    return total ? 1 : 0;
  }
  const std::optional<double> average = ToDouble(text);
  if (!average) return 0;
  if (key == "avg10") return pressure->avg10 = *average, 2;
  if (key == "avg60") return pressure->avg60 = *average, 4;
  if (key == "avg300") return pressure->avg300 = *average, 8;
  return 0;
}

}  // namespace

bool ProcVmstatReader::Read(std::string_view text, std::vector<ProcVmstatValue>* values,
                            int first_line) {
  values->clear();
  bool good = true;
  int line_number = first_line;
  std::string_view line;
  for (; NextLine(&text, &line); ++line_number) {
    if (Trim(line).empty()) continue;
    good = ReadLine(line, line_number, values) && good;
  }
  if (good && values->empty()) {
    problems_.push_back(Error(0, "empty_snapshot", "a snapshot of /proc/vmstat is empty"));
    good = false;
  }
  if (!good) {
    values->clear();
    return false;
  }
  CheckNames(*values);
  CheckReset(*values, first_line);
  return true;
}

Problems ProcVmstatReader::TakeProblems() { return std::exchange(problems_, {}); }

bool ProcVmstatReader::ReadLine(std::string_view line, int line_number,
                                std::vector<ProcVmstatValue>* values) {
  line = Trim(line);
  ProcVmstatValue value;
  const std::size_t blank = line.find(' ');
  value.name = line.substr(0, blank);
  if (blank == std::string_view::npos) {
    problems_.push_back(Error(
        line_number, "missing_value",
        fmt::format("{} has no value: the snapshot was cut and is left out", Quote(value.name))));
    return false;
  }
  const std::string_view number = Trim(line.substr(blank));
  const std::optional<std::uint64_t> reading = ToUnsigned(number);
  const std::optional<std::int64_t> negative = reading ? std::nullopt : ToInt(number);
  if (!reading && !negative) {
    problems_.push_back(Error(line_number, "not_a_number",
                              fmt::format("{} holds {}: the snapshot is damaged and is left out",
                                          Quote(value.name), Quote(number))));
    return false;
  }
  Known& known = Find(value.name, values->size());
  if (!known.is_name) {
    if (!std::exchange(known.warned, true)) {
      problems_.push_back(Error(line_number, "bad_name",
                                fmt::format("the name {} {}; its values are left out",
                                            Quote(value.name), NameFault(value.name))));
    }
    return true;
  }
  value.kind = known.kind;
  if (reading && (known.kind == model::MetricKind::kCounter || *reading < kSignBit)) {
    value.value = *reading;
    values->push_back(value);
    return true;
  }
  value.below_zero = reading ? static_cast<std::int64_t>(*reading) : *negative;
  if (!std::exchange(known.warned, true)) {
    problems_.push_back(
        Warning(line_number, "negative_gauge",
                fmt::format("{} is below zero ({}), as the kernel's per-CPU counts drift; it is "
                            "taken as 0",
                            value.name, value.below_zero)));
  }
  values->push_back(value);
  return true;
}

ProcVmstatReader::Known& ProcVmstatReader::Find(std::string_view name, std::size_t position) {
  if (position < known_.size() && known_[position].name == name) return known_[position];
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& entry) { return entry.name == name; });
  if (known != known_.end()) return *known;
  const model::CatalogEntry entry = model::Lookup(fmt::format("proc-vmstat.{}", name));
  return known_.emplace_back(
      Known{.name = std::string(name), .kind = entry.kind, .is_name = NameFault(name).empty()});
}

void ProcVmstatReader::CheckNames(const std::vector<ProcVmstatValue>& values) {
  if (std::exchange(checked_names_, true)) return;
  const bool has_events =
      std::any_of(values.begin(), values.end(), [](const ProcVmstatValue& value) {
        return value.name == "pgfault" || value.name == "pswpin" || value.name == "pswpout";
      });
  const bool has_swap = std::any_of(values.begin(), values.end(), [](const ProcVmstatValue& value) {
    return value.name == "pswpout";
  });
  if (!has_swap) {
    problems_.push_back(Warning(
        0, "required_counters_missing",
        fmt::format("pswpin and pswpout do not exist on this kernel ({}): swap cannot be measured",
                    has_events ? "it was built without CONFIG_SWAP"
                               : "it was built without CONFIG_VM_EVENT_COUNTERS")));
  }
}

void ProcVmstatReader::CheckReset(const std::vector<ProcVmstatValue>& values, int first_line) {
  int fallen = 0;
  int grown = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind != model::MetricKind::kCounter) continue;
    Known& known = Find(values[i].name, i);
    if (known.seen) {
      fallen += values[i].value < known.last_value ? 1 : 0;
      grown += values[i].value > known.last_value ? 1 : 0;
    }
    known.seen = true;
    known.last_value = values[i].value;
  }
  // One counter that falls is a wrap or a kernel bug; all of them together start again after a
  // boot.
  if (fallen > grown) {
    problems_.push_back(
        Warning(first_line, "counter_reset",
                fmt::format("{} counters of /proc/vmstat fell and {} grew: the machine seems to "
                            "have gone through a reboot; no increase can be told across it",
                            fallen, grown)));
  }
}

Meminfo ParseMeminfo(std::string_view text) {
  Meminfo result;
  std::string_view line;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    if (Trim(line).empty()) continue;
    const std::size_t colon = line.find(':');
    MeminfoValue value;
    std::optional<std::uint64_t> number;
    if (colon != std::string_view::npos && colon > 0) {
      value.name = Trim(line.substr(0, colon));
      std::string_view rest = Trim(line.substr(colon + 1));
      value.kib = rest.ends_with(" kB");
      if (value.kib) rest.remove_suffix(3);
      number = ToUnsigned(Trim(rest));
    }
    if (!number) {
      result.problems.push_back(
          Error(line_number, "not_meminfo",
                fmt::format("{} is no \"Name: value kB\" line and is left out", Quote(line))));
      continue;
    }
    value.value = *number;
    result.values.push_back(value);
  }
  return result;
}

Pressure ParsePressure(std::string_view text) {
  Pressure result;
  std::string_view line;
  std::vector<std::string_view> words;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    SplitWords(line, &words);
    if (words.empty()) continue;
    PressureLine pressure{.full = words[0] == "full"};
    int found = 0;
    for (const std::string_view word : words) found |= ReadPressureField(word, &pressure);
    if (found != kAllPressureFields || (!pressure.full && words[0] != "some")) {
      result.problems.push_back(
          Error(line_number, "not_pressure",
                fmt::format("{} is no \"some|full avg10= avg60= avg300= total=\" line and is left "
                            "out",
                            Quote(line))));
      continue;
    }
    result.lines.push_back(pressure);
  }
  return result;
}

Recording SplitRecording(std::string_view text) {
  constexpr std::string_view kMark = "### ";
  Recording result;
  RecordedSnapshot* current = nullptr;
  bool complained = false;
  std::string_view line;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    if (!line.starts_with(kMark)) {
      if (current != nullptr) {
        const char* end = line.data() + line.size();
        current->text = {current->text.data(),
                         static_cast<std::size_t>(end - current->text.data())};
      } else if (!Trim(line).empty() && !std::exchange(complained, true)) {
        result.problems.push_back(
            Error(line_number, "no_time",
                  fmt::format("{} has no valid \"### <seconds since 1970>\" line before it and is "
                              "left out with what follows",
                              Quote(line))));
      }
      continue;
    }
    const std::optional<double> seconds = ToDouble(Trim(line.substr(kMark.size())));
    current = nullptr;
    complained = false;
    // Microseconds of years up to 9999; a double holds them exactly enough (2^53 us is year 2255).
    if (!seconds || *seconds < 0 || *seconds > 253402300800.0) continue;
    result.snapshots.push_back(
        {.time = model::Time(std::chrono::microseconds(std::llround(*seconds * 1e6))),
         .text = text.substr(0, 0),
         .first_line = line_number + 1});
    current = &result.snapshots.back();
  }
  return result;
}

}  // namespace regressd::parse
