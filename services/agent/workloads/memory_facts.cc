#include "services/agent/workloads/memory_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

// v1 says "no limit" as the largest number of whole pages.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

/// The own memory cgroup: its directory, and the mount point above which there is none.
struct CgroupPlace {
  fs::path directory;
  fs::path mount_point;
  bool v2 = false;
};

std::optional<std::int64_t> ReadLimit(const fs::path& file) {
  std::ifstream input(file);
  std::int64_t bytes = 0;
  // "max" of v2 is no number.
  if (!(input >> bytes) || bytes >= kNoLimit) return std::nullopt;
  return bytes;
}

bool HasWord(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  std::string one;
  while (std::getline(words, one, ',')) {
    if (one == word) return true;
  }
  return false;
}

/// The path within the hierarchy of the memory controller, from /proc/self/cgroup.
std::optional<std::pair<std::string, bool>> OwnCgroup(const fs::path& root) {
  std::ifstream input(root / "proc/self/cgroup");
  std::optional<std::pair<std::string, bool>> found;
  std::string line;
  while (std::getline(input, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    // On a machine with both, memory is where a v1 hierarchy names it.
    if (HasWord(controllers, "memory")) return std::pair(path, false);
    if (controllers.empty()) found = std::pair(path, true);
  }
  return found;
}

std::optional<CgroupPlace> FindCgroup(const fs::path& root) {
  const auto own = OwnCgroup(root);
  if (!own) return std::nullopt;
  std::ifstream input(root / "proc/self/mountinfo");
  std::string line;
  while (std::getline(input, line)) {
    // id parent dev root mount-point options [tags] - type source options
    std::istringstream words(line);
    std::string skipped, mount_root, mount_point, word, type, source, options;
    words >> skipped >> skipped >> skipped >> mount_root >> mount_point;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> options;
    const bool fits =
        own->second ? type == "cgroup2" : type == "cgroup" && HasWord(options, "memory");
    if (!fits) continue;
    fs::path relative = fs::path(own->first).lexically_relative(mount_root);
    // Another namespace's path: what is mounted is then the own cgroup or one above it.
    if (relative.empty() || relative.native().starts_with("..")) relative = ".";
    const fs::path mounted = root / fs::path(mount_point).relative_path();
    return CgroupPlace{.directory = (mounted / relative).lexically_normal(),
                       .mount_point = mounted.lexically_normal(),
                       .v2 = own->second};
  }
  return std::nullopt;
}

void Lower(const std::optional<std::int64_t>& bytes, const fs::path& file,
           std::optional<std::int64_t>* least, std::string* least_file) {
  if (!bytes || (*least && **least <= *bytes)) return;
  *least = bytes;
  *least_file = file.string();
}

void FillLimits(const CgroupPlace& place, MemoryFacts* facts) {
  fs::path directory = place.directory;
  if (!directory.has_filename()) directory = directory.parent_path();
  while (true) {
    const fs::path memory_file = directory / (place.v2 ? "memory.max" : "memory.limit_in_bytes");
    const fs::path swap_file =
        directory / (place.v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
    const std::optional<std::int64_t> memory = ReadLimit(memory_file);
    std::optional<std::int64_t> swap = ReadLimit(swap_file);
    if (!place.v2 && swap) *swap = std::max<std::int64_t>(0, *swap - memory.value_or(*swap));
    Lower(memory, memory_file, &facts->limit_bytes, &facts->limit_file);
    Lower(swap, swap_file, &facts->swap_limit_bytes, &facts->swap_limit_file);
    if (directory == place.mount_point || !directory.has_relative_path()) return;
    directory = directory.parent_path();
  }
}

}  // namespace

absl::StatusOr<MemoryFacts> ReadMemoryFacts(const fs::path& root) {
  std::ifstream meminfo(root / "proc/meminfo");
  MemoryFacts facts;
  std::string name;
  std::string rest;
  std::int64_t kib = 0;
  while (meminfo >> name >> kib) {
    std::getline(meminfo, rest);
    if (name == "MemTotal:") facts.total_bytes = kib * 1024;
    if (name == "MemAvailable:") facts.available_bytes = kib * 1024;
    if (name == "SwapTotal:") facts.swap_total_bytes = kib * 1024;
    if (name == "SwapFree:") facts.swap_free_bytes = kib * 1024;
  }
  if (facts.total_bytes == 0) {
    return absl::UnavailableError(
        fmt::format("cannot read MemTotal from {}", (root / "proc/meminfo").string()));
  }
  if (const std::optional<CgroupPlace> place = FindCgroup(root)) FillLimits(*place, &facts);
  return facts;
}

absl::StatusOr<SwapCounters> ReadSwapCounters(const fs::path& root) {
  std::ifstream vmstat(root / "proc/vmstat");
  SwapCounters counters;
  bool counted = false;
  std::string name;
  std::int64_t count = 0;
  while (vmstat >> name >> count) {
    if (name == "pswpin" || name == "zswpin" || name == "swpin_zero") counters.pages_in += count;
    if (name == "pswpout" || name == "zswpout" || name == "swpout_zero") {
      counters.pages_out += count;
    }
    if (name == "zswpwb") counters.pages_out -= count;
    counted = counted || name == "pswpout";
  }
  if (counted) return counters;
  return absl::UnavailableError(fmt::format(
      "{} has no pswpout: this kernel cannot swap (CONFIG_SWAP)", (root / "proc/vmstat").string()));
}

}  // namespace regressd::agent
