#include "services/parse/vmstat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

enum class Scaling { kNone, kByOption, kKibiblocks };

struct KnownColumn {
  std::string_view name;
  std::string_view metric;
  Scaling scaling;
};

// Names of vmstat(8); groups as LKP spells them. bi and bo are blocks of 1 KiB, whatever -S is.
constexpr std::array kColumns = {
    KnownColumn{"r", "vmstat.procs.r", Scaling::kNone},
    KnownColumn{"b", "vmstat.procs.b", Scaling::kNone},
    KnownColumn{"swpd", "vmstat.memory.swpd", Scaling::kByOption},
    KnownColumn{"free", "vmstat.memory.free", Scaling::kByOption},
    KnownColumn{"buff", "vmstat.memory.buff", Scaling::kByOption},
    KnownColumn{"cache", "vmstat.memory.cache", Scaling::kByOption},
    KnownColumn{"inact", "vmstat.memory.inact", Scaling::kByOption},
    KnownColumn{"active", "vmstat.memory.active", Scaling::kByOption},
    KnownColumn{"si", "vmstat.swap.si", Scaling::kByOption},
    KnownColumn{"so", "vmstat.swap.so", Scaling::kByOption},
    KnownColumn{"bi", "vmstat.io.bi", Scaling::kKibiblocks},
    KnownColumn{"bo", "vmstat.io.bo", Scaling::kKibiblocks},
    KnownColumn{"in", "vmstat.system.in", Scaling::kNone},
    KnownColumn{"cs", "vmstat.system.cs", Scaling::kNone},
    KnownColumn{"us", "vmstat.cpu.us", Scaling::kNone},
    KnownColumn{"sy", "vmstat.cpu.sy", Scaling::kNone},
    KnownColumn{"id", "vmstat.cpu.id", Scaling::kNone},
    KnownColumn{"wa", "vmstat.cpu.wa", Scaling::kNone},
    KnownColumn{"st", "vmstat.cpu.st", Scaling::kNone},
    KnownColumn{"gu", "vmstat.cpu.gu", Scaling::kNone},
};

VmstatColumn MakeColumn(std::string_view name, std::int64_t unit_bytes) {
  const auto known = std::find_if(kColumns.begin(), kColumns.end(),
                                  [&](const KnownColumn& column) { return column.name == name; });
  if (known == kColumns.end()) {
    return {.name = std::string(name), .metric = fmt::format("vmstat.other.{}", name)};
  }
  VmstatColumn column{.name = std::string(name), .metric = std::string(known->metric)};
  if (known->scaling == Scaling::kKibiblocks) column.unit_bytes = 1024;
  if (known->scaling == Scaling::kByOption) {
    column.unit_bytes = unit_bytes;
    column.scale = static_cast<double>(unit_bytes) / 1024;
  }
  return column;
}

// Column names are lower case; a zone is "UTC", "IST" or "+0530".
bool IsZoneWord(std::string_view word) {
  return !std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool HasPlainName(const VmstatColumn& column) {
  return std::all_of(column.name.begin(), column.name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

// Words that are one zone and no other. Letters name several: IST is India, Israel or Ireland.
std::optional<absl::TimeZone> ZoneOfWord(std::string_view word) {
  if (word == "UTC" || word == "GMT" || word == "Z") return absl::UTCTimeZone();
  if ((word.size() != 3 && word.size() != 5) || (word[0] != '+' && word[0] != '-')) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> digits = ToUnsigned(word.substr(1));
  if (!digits) return std::nullopt;
  const auto number = static_cast<int>(*digits);
  const int minutes = word.size() == 3 ? number * 60 : number / 100 * 60 + number % 100;
  return absl::FixedTimeZone((word[0] == '-' ? -60 : 60) * minutes);
}

struct Mode {
  std::string_view option;
  std::string_view what;
};

// Output of vmstat that has no intervals.
std::optional<Mode> OtherMode(const std::vector<std::string_view>& words) {
  if (words.size() >= 2 && words[0] == "Cache" && words[1] == "Num") return Mode{"-m", "slab"};
  if (words[0].substr(0, 5) == "disk-") return Mode{"-d", "disk"};
  if (words.size() >= 3 && words[1] == "reads" && words[2] == "read") {
    return Mode{"-p", "partition"};
  }
  if (words.size() == 2 && words[1] == "disks") return Mode{"-D", "disk summary"};
  if (words.size() == 4 && words[2] == "total" && words[3] == "memory") {
    return Mode{"-s", "event counter"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> UnitBytes(std::string_view letter) {
  if (letter == "k") return 1000;
  if (letter == "K") return 1024;
  if (letter == "m") return 1000000;
  if (letter == "M") return 1048576;
  return std::nullopt;
}

bool operator==(const VmstatLayout& a, const VmstatLayout& b) {
  return a.has_time == b.has_time && a.zone_text == b.zone_text &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const VmstatColumn& x, const VmstatColumn& y) { return x.name == y.name; });
}

const VmstatSample* VmstatReader::Feed(std::string_view line) {
  ++line_number_;
  if (refused_) return nullptr;
  SplitWords(line, &fields_);
  if (fields_.empty() || line.find("---") != std::string_view::npos) {
    // The line of group names says nothing that the column names do not, but for disk mode.
    if (!fields_.empty() && OtherMode(fields_)) ReadHeader(line);
    return nullptr;
  }
  if (ReadHeader(line)) return nullptr;
  return ReadRow(line);
}

Problems VmstatReader::TakeProblems() { return std::exchange(problems_, {}); }

void VmstatReader::Refuse(std::string code, const std::string& message) {
  problems_.push_back(Error(line_number_, std::move(code), message));
  refused_ = true;
}

bool VmstatReader::ReadHeader(std::string_view line) {
  if (const std::optional<Mode> mode = OtherMode(fields_)) {
    Refuse("unsupported_mode",
           fmt::format("this is the {} table of vmstat {}, which has no intervals: {}; record "
                       "`vmstat -n 1` instead",
                       mode->what, mode->option, Quote(line)));
    return true;
  }
  if (fields_.size() < 2 || fields_[0] != "r" || fields_[1] != "b") return false;

  VmstatLayout layout;
  if (IsZoneWord(fields_.back())) {
    layout.has_time = true;
    layout.zone_text = std::string(fields_.back());
    fields_.pop_back();
  }
  for (const std::string_view name : fields_) {
    layout.columns.push_back(MakeColumn(name, options_.unit_bytes));
  }
  if (!std::all_of(layout.columns.begin(), layout.columns.end(), HasPlainName)) {
    problems_.push_back(Error(line_number_, "damaged_header",
                              fmt::format("{} names no columns; the rows up to the next header are "
                                          "left out",
                                          Quote(line))));
    current_layout_ = -1;
    return true;
  }
  const auto known = std::find(layouts_.begin(), layouts_.end(), layout);
  current_layout_ = static_cast<int>(known - layouts_.begin());
  if (known != layouts_.end()) return true;

  for (const VmstatColumn& column : layout.columns) {
    if (column.metric.starts_with("vmstat.other.")) {
      problems_.push_back(Warning(line_number_, "unknown_column",
                                  fmt::format("column {} is new to this version; it is kept as {}",
                                              Quote(column.name), column.metric)));
    }
  }
  if (layout.has_time && !options_.time_zone && !ZoneOfWord(layout.zone_text)) {
    problems_.push_back(Warning(
        line_number_, "ambiguous_timezone",
        fmt::format("the word {} names several time zones, so the rows have no time of their own; "
                    "record with TZ=UTC or say the zone",
                    Quote(layout.zone_text))));
  }
  layouts_.push_back(std::move(layout));
  return true;
}

const VmstatSample* VmstatReader::ReadRow(std::string_view line) {
  if (current_layout_ < 0) {
    problems_.push_back(Error(line_number_, "missing_header",
                              fmt::format("{} comes before any vmstat header, so its columns are "
                                          "not known; keep the two header lines",
                                          Quote(line))));
    return nullptr;
  }
  const VmstatLayout& layout = layouts_[static_cast<std::size_t>(current_layout_)];
  sample_.line = line_number_;
  sample_.layout = current_layout_;
  sample_.since_boot = !saw_row_ && options_.has_since_boot_row;
  saw_row_ = true;

  const std::size_t expected = layout.columns.size() + (layout.has_time ? 2 : 0);
  if (fields_.size() != expected) {
    problems_.push_back(Error(line_number_, "column_count_mismatch",
                              fmt::format("{} fields where the header has {}, so no value can be "
                                          "told from another; the row is left out: {}",
                                          fields_.size(), expected, Quote(line))));
    return nullptr;
  }
  sample_.values.clear();
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const std::optional<std::int64_t> value = ToInt(fields_[i]);
    if (!value) {
      problems_.push_back(Error(line_number_, "not_a_number",
                                fmt::format("column {} holds {}; the row is left out",
                                            layout.columns[i].name, Quote(fields_[i]))));
      return nullptr;
    }
    if (*value < 0) {
      problems_.push_back(Error(line_number_, "negative_value",
                                fmt::format("column {} holds {}, and nothing that vmstat prints is "
                                            "below 0; the row is left out",
                                            layout.columns[i].name, Quote(fields_[i]))));
      return nullptr;
    }
    sample_.values.push_back(*value);
  }
  sample_.time_text.clear();
  sample_.time.reset();
  if (!layout.has_time) return &sample_;
  sample_.time_text = fmt::format("{} {}", fields_[expected - 2], fields_[expected - 1]);
  return ReadTime(layout) ? &sample_ : nullptr;
}

bool VmstatReader::ReadTime(const VmstatLayout& layout) {
  const std::optional<absl::TimeZone> zone =
      options_.time_zone ? options_.time_zone : ZoneOfWord(layout.zone_text);
  absl::Time time;
  if (!absl::ParseTime("%Y-%m-%d %H:%M:%S", sample_.time_text, zone.value_or(absl::UTCTimeZone()),
                       &time, nullptr)) {
    problems_.push_back(Error(
        line_number_, "bad_timestamp",
        fmt::format("{} is no date and time; the row is left out", Quote(sample_.time_text))));
    return false;
  }
  if (zone) sample_.time = model::Time(std::chrono::microseconds(absl::ToUnixMicros(time)));
  return true;
}

VmstatText ParseVmstat(std::string_view text, VmstatOptions options) {
  VmstatReader reader(std::move(options));
  VmstatText result;
  std::string_view line;
  while (NextLine(&text, &line)) {
    if (const VmstatSample* sample = reader.Feed(line)) result.samples.push_back(*sample);
  }
  result.layouts = reader.layouts();
  result.problems = reader.TakeProblems();
  if (result.layouts.empty() && result.problems.empty()) {
    result.problems.push_back(
        Error(0, "missing_header", "there is no vmstat output here; record `vmstat -n 1`"));
  }
  return result;
}

}  // namespace regressd::parse
