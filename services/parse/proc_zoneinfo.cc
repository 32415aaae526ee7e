#include <algorithm>
#include <array>

#include "services/parse/proc_tables.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

constexpr std::array<std::string_view, 12> kTaken = {"boost",
                                                     "high",
                                                     "low",
                                                     "managed",
                                                     "min",
                                                     "nr_mlock",
                                                     "nr_zone_active_anon",
                                                     "nr_zone_active_file",
                                                     "nr_zone_inactive_anon",
                                                     "nr_zone_inactive_file",
                                                     "nr_zone_unevictable",
                                                     "nr_zone_write_pending"};

/// "Node 0, zone   Normal": its prefix "node0.Normal.pages."; empty for another line.
std::string ZonePrefix(std::string_view line, const std::vector<std::string_view>& words) {
  if (!line.starts_with("Node ") || words.size() != 4 || words[2] != "zone") return "";
  std::string_view node = words[1];
  if (!node.ends_with(',')) return "";
  node.remove_suffix(1);
  if (!ToUnsigned(node)) return "";
  return "node" + std::string(node) + "." + std::string(words[3]) + ".pages.";
}

}  // namespace

Problems ReadZoneinfo(std::string_view text, TakeNumber take) {
  struct Reading {
    std::string name;
    std::uint64_t value = 0;
  };
  std::vector<Reading> zone;
  bool has_pages = false;
  const auto finish = [&] {
    for (const Reading& reading : zone) {
      if (has_pages) take(reading.name, reading.value);
    }
    zone.clear();
    has_pages = false;
  };
  std::string_view line;
  std::vector<std::string_view> words;
  std::string prefix;
  bool in_zone = false;
  while (NextLine(&text, &line)) {
    SplitWords(line, &words);
    if (std::string found = ZonePrefix(line, words); !found.empty()) {
      finish();
      prefix = std::move(found);
      in_zone = false;
      continue;
    }
    // Above "pages free" stand the node's own counts, below "pagesets" those of each CPU.
    if (words.size() == 3 && words[0] == "pages" && words[1] == "free") {
      in_zone = true;
      if (const auto number = ToUnsigned(words[2])) zone.push_back({prefix + "free", *number});
      continue;
    }
    if (!words.empty() && words[0] == "pagesets") in_zone = false;
    if (!in_zone || prefix.empty() || words.size() != 2) continue;
    const auto number = ToUnsigned(words[1]);
    if (!number) continue;
    if (words[0] == "present") has_pages = *number > 0;
    if (std::binary_search(kTaken.begin(), kTaken.end(), words[0])) {
      zone.push_back({prefix + std::string(words[0]), *number});
    }
  }
  finish();
  if (prefix.empty()) {
    return {Error(0, "not_zoneinfo", "/proc/zoneinfo names no zone; it is left out")};
  }
  return {};
}

}  // namespace regressd::parse
