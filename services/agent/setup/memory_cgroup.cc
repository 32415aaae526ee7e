#include "services/agent/setup/memory_cgroup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "services/agent/setup/size.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kNamePrefix = "regressd-";
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kPause{5};

bool HasWord(const std::string& text, std::string_view word) {
  std::vector<std::string_view> words;
  parse::SplitWords(text, &words);
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Where cgroups with a memory limit are made, and the name of the limit there.
struct Hierarchy {
  fs::path directory;
  const char* limit_file;
};

/// Children get the controller's files only when their parent hands it down.
absl::Status HandDown(const Machine& machine, const fs::path& directory, Journal* journal) {
  const fs::path subtree_control = directory / "cgroup.subtree_control";
  const absl::StatusOr<std::string> handed_down = machine.Read(subtree_control);
  if (!handed_down.ok()) return handed_down.status();
  if (HasWord(*handed_down, "memory")) return absl::OkStatus();
  absl::Status status = journal->Record({ChangeKind::kController, subtree_control.string()});
  if (!status.ok()) return status;
  status = machine.Write(subtree_control, "+memory");
  if (!absl::IsFailedPrecondition(status)) return status;
  return absl::FailedPreconditionError(fmt::format(
      "{}: processes in {} itself keep the memory controller from its children, as in a container; "
      "run on the host, or first move them down: mkdir {}/init && for p in $(cat {}/cgroup.procs); "
      "do echo $p > {}/init/cgroup.procs; done",
      std::string(status.message()), directory.string(), directory.string(), directory.string(),
      directory.string()));
}

absl::StatusOr<Hierarchy> FindHierarchy(const Machine& machine, Journal* journal) {
  const fs::path unified = machine.At("/sys/fs/cgroup");
  if (const auto controllers = machine.Read(unified / "cgroup.controllers"); controllers.ok()) {
    if (!HasWord(*controllers, "memory")) {
      return absl::FailedPreconditionError(fmt::format(
          "{} lacks the memory controller: boot without cgroup_disable=memory, on a kernel with "
          "CONFIG_MEMCG=y",
          (unified / "cgroup.controllers").string()));
    }
    if (absl::Status status = HandDown(machine, unified, journal); !status.ok()) return status;
    return Hierarchy{.directory = unified, .limit_file = "memory.max"};
  }
  const fs::path v1 = machine.At("/sys/fs/cgroup/memory");
  if (machine.Exists(v1 / "cgroup.procs")) {
    return Hierarchy{.directory = v1, .limit_file = "memory.limit_in_bytes"};
  }
  return absl::FailedPreconditionError(fmt::format(
      "no cgroup with a memory controller: neither {} nor {} is there; mount one: sudo mount -t "
      "cgroup2 none /sys/fs/cgroup",
      (unified / "cgroup.controllers").string(), (v1 / "cgroup.procs").string()));
}

absl::Status SetLimit(const Machine& machine, const fs::path& file, std::int64_t limit_bytes) {
  absl::Status status = machine.Write(file, std::to_string(limit_bytes));
  if (!status.ok()) return status;
  const absl::StatusOr<std::string> taken = machine.Read(file);
  if (!taken.ok()) return taken.status();
  const std::optional<std::int64_t> taken_bytes = parse::ToInt(*taken);
  if (taken_bytes == limit_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("the kernel took {} as the memory limit in {}, not {}; limits are whole pages of "
                  "memory",
                  *taken, file.string(), SizeText(limit_bytes)));
}

/// `directory` and the cgroups below it, the deepest first.
std::vector<fs::path> WithChildren(const fs::path& directory) {
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::recursive_directory_iterator i(directory, error), end; !error && i != end;
       i.increment(error)) {
    if (i->is_directory(error)) all.push_back(i->path());
  }
  std::reverse(all.begin(), all.end());
  all.push_back(directory);
  return all;
}

std::set<pid_t> ProcessesIn(const Machine& machine, const std::vector<fs::path>& cgroups) {
  std::set<pid_t> processes;
  for (const fs::path& cgroup : cgroups) {
    const std::string text = machine.Read(cgroup / "cgroup.procs").value_or("");
    std::string_view rest = text;
    std::string_view line;
    while (parse::NextLine(&rest, &line)) {
      const std::optional<std::int64_t> pid = parse::ToInt(line);
      if (pid && *pid > 1 && *pid != getpid()) processes.insert(static_cast<pid_t>(*pid));
    }
  }
  return processes;
}

}  // namespace

absl::StatusOr<fs::path> MakeMemoryCgroup(Machine& machine, std::string_view run_uuid,
                                          std::int64_t limit_bytes, Journal* journal) {
  const absl::StatusOr<Hierarchy> hierarchy = FindHierarchy(machine, journal);
  if (!hierarchy.ok()) return hierarchy.status();
  const fs::path directory = hierarchy->directory / fmt::format("{}{}", kNamePrefix, run_uuid);
  absl::Status status = journal->Record({ChangeKind::kCgroup, directory.string()});
  if (status.ok()) status = machine.MakeDirectory(directory);
  if (status.ok()) status = SetLimit(machine, directory / hierarchy->limit_file, limit_bytes);
  if (!status.ok()) return status;
  return directory;
}

absl::Status RemoveMemoryCgroup(Machine& machine, const fs::path& directory) {
  if (!directory.filename().string().starts_with(kNamePrefix)) {
    return absl::InvalidArgumentError(fmt::format("{} is no cgroup of a run", directory.string()));
  }
  const Clock::time_point deadline = Clock::now() + kPatience;
  for (;;) {
    if (!machine.Exists(directory)) return absl::OkStatus();
    const std::vector<fs::path> cgroups = WithChildren(directory);
    const std::set<pid_t> processes = ProcessesIn(machine, cgroups);
    // Again and again, since what is killed may have forked meanwhile.
    for (const pid_t pid : processes) machine.Kill(pid);
    absl::Status status;
    for (const fs::path& cgroup : cgroups) status = machine.RemoveDirectory(cgroup);
    if (!absl::IsFailedPrecondition(status)) return status;
    if (Clock::now() >= deadline) {
      return absl::DeadlineExceededError(
          fmt::format("processes {} in {} do not end; once they have: sudo rmdir {}",
                      fmt::join(processes, ", "), directory.string(), directory.string()));
    }
    std::this_thread::sleep_for(kPause);
  }
}

void ReleaseController(const Machine& machine, const fs::path& subtree_control) {
  // EBUSY says that a child hands it down further: then it is not ours to take away.
  machine.Write(subtree_control, "-memory").IgnoreError();
}

}  // namespace regressd::agent
