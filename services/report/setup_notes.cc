// In what the runs of two columns were called differently: command and job.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "services/report/fact_notes.h"
#include "services/report/shell_text.h"
#include "services/report/text.h"

namespace regressd::report {
namespace {

constexpr std::size_t kMostDifferences = 10;
constexpr std::size_t kMaxValueCharacters = 80;
constexpr std::size_t kSharedCharacters = 20;  // Shown before what differs, to find the place.

// Which kernel ran and how often; the command is told as itself.
constexpr std::array<std::string_view, 6> kOfTheKernel = {
    "commit", "kernel_describe", "branch", "expect_kernel", "runs", "command"};

bool IsOfAnotherPlace(std::string_view table) {
  // The parameters are axes; the patch is the commit.
  return table == "params" || table == "axes" || table == "patch";
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

using Settings = std::map<std::string, std::string>;

/// "setup.memcg" -> "\"1536M\"" of a canonical job, which has one key a line.
Settings SettingsOf(std::string_view job) {
  Settings settings;
  std::string table;
  while (!job.empty()) {
    const std::size_t end = std::min(job.find('\n'), job.size());
    const std::string_view line = Trimmed(job.substr(0, end));
    job.remove_prefix(std::min(end + 1, job.size()));
    if (line.size() > 2 && line.front() == '[' && line.back() == ']') {
      table = line.substr(1, line.size() - 2);
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos || line.front() == '#' || IsOfAnotherPlace(table)) {
      continue;
    }
    const std::string_view key = line.substr(0, equals);
    if (table.empty() &&
        std::find(kOfTheKernel.begin(), kOfTheKernel.end(), key) != kOfTheKernel.end()) {
      continue;
    }
    settings[table.empty() ? std::string(key) : fmt::format("{}.{}", table, key)] =
        line.substr(equals + 3);
  }
  return settings;
}

/// `text` from a little before `at` on, clipped; texts that differ late differ visibly.
std::string Excerpt(const std::string& text, std::size_t at) {
  std::string_view rest = text;
  const bool cut = at > kSharedCharacters + kMaxValueCharacters / 2;
  if (cut) rest.remove_prefix(at - kSharedCharacters);
  // Not from within a character.
  while (!rest.empty() && (static_cast<unsigned char>(rest.front()) & 0xC0) == 0x80) {
    rest.remove_prefix(1);
  }
  const bool is_long = CharacterCount(rest) > kMaxValueCharacters;
  return fmt::format("{}{}{}", cut ? "..." : "",
                     is_long ? FirstCharacters(rest, kMaxValueCharacters) : rest,
                     is_long ? "..." : "");
}

std::string Difference(const std::string& name, const std::string& base, const std::string& head) {
  const auto [in_base, in_head] = std::mismatch(base.begin(), base.end(), head.begin(), head.end());
  const auto at = static_cast<std::size_t>(in_base - base.begin());
  return fmt::format("{} {} -> {}", name, Excerpt(base, at), Excerpt(head, at));
}

std::string ShownSetting(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "(none)" : OneLine(found->second);
}

}  // namespace

std::vector<std::string> DifferingSetup(const model::Column& base, const model::Column& head) {
  std::vector<std::string> differing;
  if (!base.command.empty() && !head.command.empty() && base.command != head.command) {
    differing.push_back(Difference("command", ShellLine(base.command), ShellLine(head.command)));
  }
  if (base.job_toml.empty() || head.job_toml.empty()) return differing;
  const Settings before = SettingsOf(base.job_toml);
  const Settings after = SettingsOf(head.job_toml);
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : after) keys.insert(key);
  std::size_t more = 0;
  for (const std::string& key : keys) {
    const std::string from = ShownSetting(before, key);
    const std::string to = ShownSetting(after, key);
    if (from == to) continue;
    if (differing.size() == kMostDifferences) {
      ++more;
    } else {
      differing.push_back(Difference("job " + Printable(key), from, to));
    }
  }
  if (more > 0) differing.push_back(Counted(more, "more job setting"));
  return differing;
}

}  // namespace regressd::report
