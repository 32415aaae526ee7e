#include "storage/cluster_draft.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace regressd::storage {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "postgres.new";

std::vector<fs::path> ListDrafts(const fs::path& data_directory) {
  std::vector<fs::path> drafts;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data_directory, error)) {
    if (entry.path().filename().string().starts_with(kPrefix)) drafts.push_back(entry.path());
  }
  return drafts;
}

// initdb and the servers that it starts have the draft as their working directory.
std::vector<pid_t> WorkersIn(const fs::path& draft) {
  std::vector<pid_t> pids = ProcessesIn(draft, "initdb");
  const std::vector<pid_t> servers = ProcessesIn(draft, "postgres");
  pids.insert(pids.end(), servers.begin(), servers.end());
  return pids;
}

void EndWorkers(const fs::path& draft) {
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  for (auto workers = WorkersIn(draft); !workers.empty(); workers = WorkersIn(draft)) {
    if (std::chrono::steady_clock::now() >= give_up) {
      spdlog::warn("process {} still works in {}", workers.front(), draft.string());
      return;
    }
    for (const pid_t pid : workers) kill(pid, SIGKILL);  // What it makes is thrown away.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

absl::StatusOr<fs::path> MakeDraft(const fs::path& data_directory,
                                   const std::optional<UserIds>& owner) {
  std::string draft = (data_directory / fmt::format("{}.XXXXXX", kPrefix)).string();
  if (mkdtemp(draft.data()) == nullptr ||
      (owner && lchown(draft.c_str(), owner->uid, owner->gid) != 0)) {
    const int error = errno;
    const bool denied = error == EACCES || error == EPERM || error == EROFS;
    return absl::Status(denied ? absl::StatusCode::kPermissionDenied : absl::StatusCode::kInternal,
                        fmt::format("cannot make a directory for a new cluster in {}: {}",
                                    data_directory.string(), std::strerror(error)));
  }
  return fs::path(draft);
}

void RemoveDrafts(const fs::path& data_directory) {
  for (const fs::path& draft : ListDrafts(data_directory)) {
    EndWorkers(draft);
    std::error_code error;
    fs::remove_all(draft, error);
    if (error) spdlog::warn("cannot remove {}: {}", draft.string(), error.message());
  }
}

}  // namespace regressd::storage
