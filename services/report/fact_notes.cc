#include "services/report/fact_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "services/report/text.h"

namespace regressd::report {
namespace {

constexpr std::size_t kMaxValueCharacters = 80;
constexpr std::size_t kMostBusyRuns = 6;
constexpr std::size_t kShortUuidCharacters = 8;
constexpr std::size_t kWidth = 89;  // Of the table's rule.
// A kernel keeps a little more or less of the memory for itself.
constexpr double kSameMemory = 0.01;

using Facts = std::map<std::string, std::string>;

/// Without the words that name the kernel's own file.
std::string WithoutImage(std::string_view cmdline) {
  std::string kept;
  while (!cmdline.empty()) {
    const std::size_t end = std::min(cmdline.find(' '), cmdline.size());
    const std::string_view word = cmdline.substr(0, end);
    if (!word.empty() && !word.starts_with("BOOT_IMAGE=") && !word.starts_with("initrd=")) {
      if (!kept.empty()) kept += ' ';
      kept += word;
    }
    cmdline.remove_prefix(std::min(end + 1, cmdline.size()));
  }
  return kept;
}

Facts Flat(const model::MachineFacts& facts, bool with_kernel) {
  Facts flat;
  const auto put = [&flat](std::string name, std::string value) {
    if (!value.empty()) flat.emplace(std::move(name), std::move(value));
  };
  for (const auto& [name, value] : facts.settings) put(name, value);
  for (const auto& [name, value] : facts.tool_versions) put(name + " version", value);
  put("testbox", facts.testbox);
  put("cpu", facts.cpu_model);
  put("microcode", facts.microcode);
  put("cmdline", WithoutImage(facts.kernel_cmdline));
  if (facts.cpu_count > 0) put("threads", fmt::format("{}", facts.cpu_count));
  if (facts.socket_count > 0) put("sockets", fmt::format("{}", facts.socket_count));
  put("swap", fmt::format("{}", fmt::join(facts.swap_devices, ", ")));
  if (with_kernel) {
    put("kernel", facts.kernel_release);
  } else {
    flat.erase("kernel_config_hash");
  }
  flat.erase("loadavg_at_start");
  return flat;
}

std::string Shown(const Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  if (found == facts.end()) return "(none)";
  const std::string value = OneLine(found->second);
  if (CharacterCount(value) <= kMaxValueCharacters) return value;
  return std::string(FirstCharacters(value, kMaxValueCharacters)) + "...";
}

bool SameMemory(std::int64_t base_bytes, std::int64_t head_bytes) {
  if (base_bytes <= 0 || head_bytes <= 0) return true;
  const auto base = static_cast<double>(base_bytes);
  const auto head = static_cast<double>(head_bytes);
  return std::max(base, head) - std::min(base, head) <= kSameMemory * base;
}

bool AreEmpty(const model::MachineFacts& facts) {
  return facts.settings.empty() && facts.cpu_model.empty() && facts.kernel_release.empty();
}

// "busy before the start: run 0a1b2c3d of the base, load 6.2 on 8 CPUs; ...".
std::string BusyStarts(const model::ComparisonBlock& block) {
  std::vector<std::string> runs;
  std::size_t count = 0;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const std::string of = i == 0                                ? "the base"
                           : i == 1 && block.columns.size() == 2 ? "the head"
                                                                 : fmt::format("column {}", i + 1);
    for (const model::StartLoad& start : block.columns[i].busy_starts) {
      if (++count > kMostBusyRuns) continue;
      runs.push_back(fmt::format("run {} of {}, load {:.2f} on {}",
                                 OneLine(FirstCharacters(start.run_uuid, kShortUuidCharacters)), of,
                                 start.load,
                                 Counted(static_cast<std::size_t>(start.cpu_count), "CPU")));
    }
  }
  if (runs.empty()) return "";
  if (count > runs.size()) runs.push_back(fmt::format("{} more", count - runs.size()));
  return fmt::format("machine busy before the start: {}", fmt::join(runs, "; "));
}

}  // namespace

std::vector<std::string> DifferingFacts(const model::MachineFacts& base,
                                        const model::MachineFacts& head, bool kernels_differ) {
  std::vector<std::string> differing;
  // An import knows nothing of its machine: that is no difference.
  if (AreEmpty(base) || AreEmpty(head)) return differing;
  const Facts before = Flat(base, !kernels_differ);
  const Facts after = Flat(head, !kernels_differ);
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  for (const std::string& name : names) {
    const std::string from = Shown(before, name);
    const std::string to = Shown(after, name);
    if (from != to) differing.push_back(fmt::format("{} {} -> {}", Printable(name), from, to));
  }
  if (!SameMemory(base.memory_size_bytes, head.memory_size_bytes)) {
    differing.push_back(fmt::format("memory {} -> {} MiB", base.memory_size_bytes >> 20,
                                    head.memory_size_bytes >> 20));
  }
  return differing;
}

std::vector<std::string> FactNoteLines(const model::ComparisonBlock& block) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < block.columns.size(); ++i) {
    const model::Column& base = block.columns.front();
    const model::Column& head = block.columns[i];
    std::vector<std::string> differing =
        DifferingFacts(base.facts, head.facts, base.commit.commit_id != head.commit.commit_id);
    for (const std::string& line : head.setup_differences) differing.push_back(OneLine(line));
    if (differing.empty()) continue;
    const std::string of =
        block.columns.size() > 2 ? fmt::format(" of column {}", i + 1) : std::string();
    lines.push_back(fmt::format("facts that differ{}: {}", of, fmt::join(differing, "; ")));
  }
  if (std::string busy = BusyStarts(block); !busy.empty()) lines.push_back(std::move(busy));
  return lines;
}

std::string FactNotes(const model::ComparisonBlock& block) {
  std::string text;
  for (const std::string& note : FactNoteLines(block)) {
    std::string line = Wrap(note, kWidth);
    for (std::size_t at = 0; (at = line.find('\n', at)) != std::string::npos; at += 3) {
      line.insert(at + 1, "  ");
    }
    text += line + '\n';
  }
  return text.empty() ? text : text + '\n';
}

}  // namespace regressd::report
