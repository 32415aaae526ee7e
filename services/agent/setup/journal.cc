#include "services/agent/setup/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "services/agent/read_file.h"
#include "services/agent/setup/machine.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kPrefix = "setup-";
constexpr std::string_view kSuffix = ".journal";

struct KindName {
  ChangeKind kind;
  std::string_view name;
};
constexpr std::array kKinds = {
    KindName{ChangeKind::kSetting, "setting"},
    KindName{ChangeKind::kSwapDirectory, "swap_directory"},
    KindName{ChangeKind::kZram, "zram"},
    KindName{ChangeKind::kZramDevice, "zram_device"},
    KindName{ChangeKind::kController, "controller"},
    KindName{ChangeKind::kCgroup, "cgroup"},
};

std::string_view NameOf(ChangeKind kind) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [kind](const KindName& k) { return k.kind == kind; });
  return found->name;
}

std::string TextOf(const json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

struct Contents {
  std::string run_uuid;
  std::string boot_id;
  std::vector<Change> changes;
};

/// A last line without its newline was torn by a death before its change was made.
absl::StatusOr<Contents> ReadContents(const fs::path& path) {
  const std::optional<std::string> read = ReadFile(path);
  if (!read && errno != ENOENT) {
    return absl::UnavailableError(
        fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  const std::string text = read.value_or("");
  Contents contents;
  std::string_view rest = text;
  std::string_view line;
  bool terminated = false;
  for (int number = 1; parse::NextLine(&rest, &line, &terminated) && terminated; ++number) {
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object()) {
      return absl::DataLossError(fmt::format(
          "{}:{}: is no line of a setup journal; look what is left with \"cat /proc/swaps\" and "
          "\"ls -d /sys/fs/cgroup/regressd-* /sys/fs/cgroup/memory/regressd-*\", then remove it",
          path.string(), number));
    }
    const std::string kind = TextOf(parsed, "kind");
    if (kind == "begin") {
      contents.run_uuid = TextOf(parsed, "run");
      contents.boot_id = TextOf(parsed, "boot_id");
    }
    for (const KindName& known : kKinds) {
      if (known.name != kind) continue;
      contents.changes.push_back(
          {.kind = known.kind, .what = TextOf(parsed, "what"), .before = TextOf(parsed, "before")});
    }
  }
  return contents;
}

/// The file that was opened still stands at its path: nobody took it for a dead owner's and removed
/// it before it was locked.
bool StillThere(int file, const fs::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

absl::StatusOr<Journal> Journal::Create(const fs::path& directory, std::string_view run_uuid,
                                        std::string_view boot_id) {
  if (directory.empty()) {
    return absl::InvalidArgumentError(
        "a run that changes the machine notes first what it changes, to undo it after a kill too: "
        "name a directory for that with --spool-dir");
  }
  std::error_code error;
  fs::create_directories(directory, error);
  const fs::path path = directory / fmt::format("{}{}{}", kPrefix, run_uuid, kSuffix);
  for (;;) {
    UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!file.valid()) return SystemFailure("write", path, errno);
    if (flock(file.get(), LOCK_EX) != 0) return SystemFailure("lock", path, errno);
    if (!StillThere(file.get(), path)) continue;
    Journal journal(path, std::move(file));
    journal.run_uuid_ = run_uuid;
    journal.boot_id_ = boot_id;
    const json begin = {{"kind", "begin"}, {"run", run_uuid}, {"boot_id", boot_id}};
    if (absl::Status status = journal.Append(begin.dump()); !status.ok()) {
      unlink(path.c_str());
      return status;
    }
    return journal;
  }
}

absl::StatusOr<Journal> Journal::Adopt(const fs::path& path) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!file.valid()) return SystemFailure("open", path, errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{} belongs to a run that goes on", path.string()));
  }
  if (!StillThere(file.get(), path)) {
    return absl::NotFoundError(fmt::format("{} is gone", path.string()));
  }
  Journal journal(path, std::move(file));
  if (absl::Status status = journal.Load(); !status.ok()) return status;
  return journal;
}

std::vector<Change> Journal::Peek(const fs::path& path) {
  const absl::StatusOr<Contents> contents = ReadContents(path);
  return contents.ok() ? contents->changes : std::vector<Change>{};
}

std::vector<fs::path> Journal::List(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::Status Journal::Load() {
  absl::StatusOr<Contents> contents = ReadContents(path_);
  if (!contents.ok()) return contents.status();
  run_uuid_ = std::move(contents->run_uuid);
  boot_id_ = std::move(contents->boot_id);
  changes_ = std::move(contents->changes);
  return absl::OkStatus();
}

absl::Status Journal::Append(const std::string& line) {
  const std::string text = line + '\n';
  const ssize_t written = write(file_.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    return SystemFailure("write", path_, written < 0 ? errno : ENOSPC);
  }
  // A swap file outlives the machine's own death; so must the word of it.
  if (fdatasync(file_.get()) != 0) return SystemFailure("write", path_, errno);
  return absl::OkStatus();
}

absl::Status Journal::Record(const Change& change) {
  const json line = {
      {"kind", NameOf(change.kind)}, {"what", change.what}, {"before", change.before}};
  if (absl::Status status = Append(line.dump()); !status.ok()) return status;
  changes_.push_back(change);
  return absl::OkStatus();
}

void Journal::Remove() {
  unlink(path_.c_str());
  file_.Reset();
}

}  // namespace regressd::agent
