#include "services/parse/proc_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

std::optional<std::uint64_t> ToBits(std::string_view text) {
  if (const auto number = ToUnsigned(text)) return number;
  if (const auto number = ToInt(text)) return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

Problem NotThis(int line_number, std::string_view line, std::string_view what) {
  return Error(line_number, "not_a_table_line",
               fmt::format("{} is no line of {} and is left out", Quote(line), what));
}

}  // namespace

Problems ReadNameNumbers(std::string_view text, TakeNumber take) {
  Problems problems;
  std::string_view line;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    line = Trim(line);
    if (line.empty()) continue;
    const std::size_t blank = line.find_first_of(" \t");
    const auto number =
        blank == std::string_view::npos ? std::nullopt : ToBits(Trim(line.substr(blank + 1)));
    if (!number) {
      problems.push_back(NotThis(line_number, line, "\"name number\""));
      continue;
    }
    take(line.substr(0, blank), *number);
  }
  return problems;
}

Problems ReadCgroupStat(std::string_view text, TakeNumber take) {
  constexpr std::string_view kTotal = "total_";
  // Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst of Linux 6.1.
  constexpr std::pair<std::string_view, std::string_view> kNewNames[] = {
      {"cache", "file"},        {"rss", "anon"},
      {"rss_huge", "anon_thp"}, {"mapped_file", "file_mapped"},
      {"dirty", "file_dirty"},  {"writeback", "file_writeback"}};
  const bool is_version_1 = text.find("total_rss ") != std::string_view::npos;
  if (!is_version_1) return ReadNameNumbers(text, take);
  return ReadNameNumbers(text, [&](std::string_view name, std::uint64_t value) {
    // The limits of the hierarchy stand there once.
    if (name.starts_with("hierarchical_")) return take(name, value);
    if (!name.starts_with(kTotal)) return;
    name.remove_prefix(kTotal.size());
    for (const auto& [old_name, new_name] : kNewNames) {
      if (name == old_name) return take(new_name, value);
    }
    take(name, value);
  });
}

Problems ReadNodeMeminfo(std::string_view text, TakeNumber take) {
  Problems problems;
  std::string_view line;
  std::vector<std::string_view> words;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    SplitWords(line, &words);
    if (words.empty()) continue;
    const auto number = words.size() >= 4 ? ToBits(words[3]) : std::nullopt;
    if (!number || words[0] != "Node" || !words[2].ends_with(':')) {
      problems.push_back(NotThis(line_number, line, "\"Node N Name: value kB\""));
      continue;
    }
    take(words[2].substr(0, words[2].size() - 1), *number);
  }
  return problems;
}

Problems ReadDiskstats(std::string_view text, absl::FunctionRef<bool(std::string_view)> takes,
                       TakeNumber take) {
  // Documentation/admin-guide/iostats.rst; LKP's words.
  constexpr std::array<std::string_view, 17> kFields = {
      "read_ios",      "read_merges",   "read_sectors",   "read_ticks",      "write_ios",
      "write_merges",  "write_sectors", "write_ticks",    "in_flight",       "io_ticks",
      "time_in_queue", "discard_ios",   "discard_merges", "discard_sectors", "discard_ticks",
      "flush_ios",     "flush_ticks"};
  constexpr std::size_t kFirstNumber = 3;
  Problems problems;
  std::string_view line;
  std::vector<std::string_view> words;
  std::string name;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    SplitWords(line, &words);
    if (words.empty()) continue;
    if (words.size() < kFirstNumber + 11) {
      problems.push_back(NotThis(line_number, line, "/proc/diskstats"));
      continue;
    }
    if (!takes(words[2])) continue;
    for (std::size_t i = 0; i < kFields.size() && kFirstNumber + i < words.size(); ++i) {
      const auto number = ToUnsigned(words[kFirstNumber + i]);
      if (!number) {
        problems.push_back(NotThis(line_number, line, "/proc/diskstats"));
        break;
      }
      name.assign(kFields[i]).append(".").append(words[2]);
      take(name, *number);
    }
  }
  return problems;
}

Problems ReadSchedstat(std::string_view text, TakeNumber take) {
  Problems problems;
  std::string_view line;
  std::vector<std::string_view> words;
  std::uint64_t run_time = 0, run_delay = 0, timeslices = 0;
  bool known_version = false, any = false;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    SplitWords(line, &words);
    if (words.empty()) continue;
    if (words[0] == "version" && words.size() == 2) {
      const auto version = ToInt(words[1]);
      // The last three numbers of a CPU's line mean the same in all of these.
      known_version = version && *version >= 15 && *version <= 17;
      if (!known_version) break;
    }
    if (!words[0].starts_with("cpu")) continue;
    if (words.size() != 10) {
      problems.push_back(NotThis(line_number, line, "/proc/schedstat"));
      continue;
    }
    const auto time = ToUnsigned(words[7]), delay = ToUnsigned(words[8]),
               slices = ToUnsigned(words[9]);
    if (!time || !delay || !slices) {
      problems.push_back(NotThis(line_number, line, "/proc/schedstat"));
      continue;
    }
    run_time += *time;
    run_delay += *delay;
    timeslices += *slices;
    any = true;
  }
  if (!known_version) {
    problems.push_back(Error(0, "unknown_version",
                             "/proc/schedstat is of none of the versions 15 "
                             "to 17; it is left out"));
    return problems;
  }
  if (any) {
    take("run_time", run_time);
    take("run_delay", run_delay);
    take("timeslices", timeslices);
  }
  return problems;
}

Problems ReadSwaps(std::string_view text, TakeNumber take) {
  Problems problems;
  std::string_view line;
  std::vector<std::string_view> words;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    SplitWords(line, &words);
    if (words.empty() || words[0] == "Filename") continue;
    // A path with a blank in it is printed with \040, so the words keep their places; a deleted
    // file has "\040(deleted)" behind it.
    const auto size = words.size() >= 5 ? ToUnsigned(words[2]) : std::nullopt;
    const auto used = words.size() >= 5 ? ToUnsigned(words[3]) : std::nullopt;
    if (!size || !used) {
      problems.push_back(NotThis(line_number, line, "/proc/swaps"));
      continue;
    }
    const std::string_view device = words[0].substr(words[0].rfind('/') + 1);
    take(fmt::format("{}.size", device), *size);
    take(fmt::format("{}.used", device), *used);
  }
  return problems;
}

Problems ReadColumns(std::string_view text, const std::vector<std::string_view>& names,
                     TakeNumber take) {
  std::vector<std::string_view> words;
  std::string_view line;
  NextLine(&text, &line);
  SplitWords(line, &words);
  for (std::size_t i = 0; i < std::min(words.size(), names.size()); ++i) {
    const auto number = ToBits(words[i]);
    if (!number) return {NotThis(1, line, "numbers")};
    take(names[i], *number);
  }
  return {};
}

Problems ReadCpuStat(std::string_view text, CpuStat* out) {
  const std::array<std::pair<std::string_view, std::uint64_t*>, 4> wanted = {
      {{"intr", &out->interrupts},
       {"ctxt", &out->context_switches},
       {"procs_running", &out->procs_running},
       {"procs_blocked", &out->procs_blocked}}};
  const std::array<std::uint64_t*, 10> ticks = {
      &out->user, &out->nice,    &out->system, &out->idle,  &out->iowait,
      &out->irq,  &out->softirq, &out->steal,  &out->guest, &out->guest_nice};
  std::string_view line;
  std::vector<std::string_view> words;
  std::size_t found = 0;
  while (NextLine(&text, &line)) {
    if (line.starts_with("cpu ")) {
      SplitWords(line, &words);
      // Kernels before 2.6.33 have fewer.
      for (std::size_t i = 0; i < ticks.size() && i + 1 < words.size(); ++i) {
        const auto number = ToUnsigned(words[i + 1]);
        if (!number) return {Error(0, "not_stat", "the line \"cpu\" holds " + Quote(words[i + 1]))};
        *ticks[i] = *number;
      }
      found += words.size() >= 5 ? 1 : 0;
      continue;
    }
    for (const auto& [name, target] : wanted) {
      if (!line.starts_with(name)) continue;
      std::string_view rest = Trim(line.substr(name.size()));
      const auto number = ToUnsigned(rest.substr(0, rest.find(' ')));
      if (number) {
        *target = *number;
        ++found;
      }
    }
  }
  if (found == wanted.size() + 1) return {};
  return {Error(0, "not_stat",
                "/proc/stat lacks cpu, intr, ctxt, procs_running or procs_blocked; it is left "
                "out")};
}

}  // namespace regressd::parse
