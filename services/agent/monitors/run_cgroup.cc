#include "services/agent/monitors/run_cgroup.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "services/agent/read_file.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

// Of the namespace that the machine begins with (PROC_CGROUP_INIT_INO in Linux' proc_ns.h).
constexpr std::string_view kMachinesNamespace = "cgroup:[4026531835]";

/// "4:cpu,memory:/a" of version 1; "0::/a" of version 2 counts only where there is no such line.
std::optional<std::string> MemoryCgroup(std::string_view text) {
  std::optional<std::string> found;
  std::string_view line;
  while (parse::NextLine(&text, &line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::vector<std::string_view> controllers;
    parse::SplitFields(line.substr(first + 1, second - first - 1), ',', &controllers);
    const std::string path(line.substr(second + 1));
    if (std::find(controllers.begin(), controllers.end(), "memory") != controllers.end()) {
      return path;
    }
    if (line.starts_with("0::")) found = path;
  }
  return found;
}

/// Also true for the same path.
bool IsBelow(const std::string& path, const std::string& ancestor) {
  return path == ancestor || path.starts_with(ancestor + "/");
}

}  // namespace

std::optional<std::string> RunMemoryCgroup(const std::filesystem::path& made_for_run,
                                           const std::filesystem::path& self) {
  std::error_code error;
  const std::filesystem::path space = std::filesystem::read_symlink(self / "ns/cgroup", error);
  if (error || space != kMachinesNamespace) return std::nullopt;
  // Those that are made stand at the top of their hierarchy.
  if (!made_for_run.empty()) return "/" + made_for_run.filename().string();
  return MemoryCgroup(ReadFile(self / "cgroup").value_or(""));
}

bool Concerns(const parse::OomKill& kill, const std::optional<std::string>& run_cgroup) {
  if (kill.limit_cgroup.empty() || !run_cgroup) return true;
  // Everything is below the root; a run there is held by no limit.
  if (*run_cgroup == "/") return kill.limit_cgroup == "/";
  return IsBelow(*run_cgroup, kill.limit_cgroup) || IsBelow(kill.limit_cgroup, *run_cgroup) ||
         IsBelow(kill.task_cgroup, *run_cgroup);
}

}  // namespace regressd::agent
