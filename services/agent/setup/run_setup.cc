#include "services/agent/setup/run_setup.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "services/agent/setup/memory_cgroup.h"
#include "services/agent/setup/size.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

absl::Status UndoChange(Machine& machine, const Change& change, std::string_view run_uuid) {
  switch (change.kind) {
    case ChangeKind::kSetting:
      return RestoreKernelSetting(machine, change);
    case ChangeKind::kSwapDirectory:
      return RemoveSwapFile(machine, change.what, true);
    case ChangeKind::kZram:
      return RemoveUnnamedZram(machine, change.before);
    case ChangeKind::kZramDevice:
      return RemoveZramSwap(machine, change.what, run_uuid);
    case ChangeKind::kController:
      ReleaseController(machine, change.what);
      return absl::OkStatus();
    case ChangeKind::kCgroup:
      break;
  }
  return RemoveMemoryCgroup(machine, change.what);
}

/// Undoes what a journal holds, the last first, and removes it when nothing is left.
absl::Status UndoAll(Machine& machine, Journal* journal) {
  // Only files live through a boot.
  const bool same_boot = journal->boot_id() == machine.BootId();
  std::string failures;
  bool zram_is_named = false;
  const std::vector<Change>& changes = journal->changes();
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    absl::Status status;
    if (!same_boot) {
      if (change->kind != ChangeKind::kSwapDirectory) continue;
      status = RemoveSwapFile(machine, change->what, false);
    } else if (change->kind == ChangeKind::kZram && zram_is_named) {
      zram_is_named = false;
    } else {
      zram_is_named = change->kind == ChangeKind::kZramDevice;
      status = UndoChange(machine, *change, journal->run_uuid());
    }
    if (status.ok()) continue;
    failures += failures.empty() ? "" : "; ";
    failures += std::string(status.message());
  }
  if (failures.empty()) {
    journal->Remove();
    return absl::OkStatus();
  }
  return absl::UnavailableError(fmt::format("not undone: {}; noted in {}, the next run tries again",
                                            failures, journal->path().string()));
}

/// A setting that two runs change at once would be put back by the first and again by the second,
/// to what the first had made of it.
absl::Status CheckNobodyElseSets(const std::vector<KernelSetting>& settings,
                                 const fs::path& own_journal) {
  for (const fs::path& path : Journal::List(own_journal.parent_path())) {
    if (path == own_journal) continue;
    for (const Change& other : Journal::Peek(path)) {
      const bool clash = other.kind == ChangeKind::kSetting &&
                         std::any_of(settings.begin(), settings.end(),
                                     [&](const KernelSetting& s) { return s.key == other.what; });
      if (!clash) continue;
      return absl::AbortedError(fmt::format("{} is set by another run now ({}); wait for its end",
                                            other.what, path.string()));
    }
  }
  return absl::OkStatus();
}

std::string Describe(const SetupOptions& options) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const KernelSetting& setting : options.settings) add(setting.key + "=" + setting.value);
  if (options.swap) add("swap " + SwapSpecText(*options.swap));
  if (options.memory_limit_bytes) add("memory limit " + SizeText(*options.memory_limit_bytes));
  if (options.drop_caches) add("caches dropped");
  return text;
}

}  // namespace

fs::path SetupDirectory(const fs::path& spool_directory, const Machine& machine) {
  return geteuid() == 0 ? machine.At("/var/lib/regress-agent") : spool_directory;
}

absl::StatusOr<std::unique_ptr<RunSetup>> RunSetup::Make(const SetupOptions& options,
                                                         std::string_view run_uuid,
                                                         const fs::path& state_directory,
                                                         Machine& machine) {
  std::unique_ptr<RunSetup> setup(new RunSetup(machine));
  if (options.empty()) return setup;
  absl::StatusOr<Journal> journal = Journal::Create(state_directory, run_uuid, machine.BootId());
  if (!journal.ok()) return journal.status();
  setup->journal_ = *std::move(journal);
  if (absl::Status status = setup->MakeAll(options); !status.ok()) {
    if (absl::Status undone = setup->Undo(); !undone.ok()) {
      spdlog::error("{}", std::string(undone.message()));
    }
    return status;
  }
  spdlog::info("set up for run {}: {}", run_uuid, Describe(options));
  return setup;
}

absl::Status RunSetup::MakeAll(const SetupOptions& options) {
  const std::string run_uuid = journal_->run_uuid();
  if (absl::Status status = ApplySettings(options); !status.ok()) return status;
  if (options.swap) {
    const std::int64_t size_bytes = options.swap->size_bytes;
    absl::Status status =
        options.swap->kind == SwapSpec::Kind::kZram
            ? MakeZramSwap(machine_, size_bytes, run_uuid, &*journal_)
            : MakeSwapFile(machine_, size_bytes, options.swap_directory, run_uuid, &*journal_);
    if (!status.ok()) return status;
  }
  // Behind the settings: a v1 cgroup takes its swappiness from the machine when it is made.
  if (options.memory_limit_bytes) {
    absl::StatusOr<fs::path> directory =
        MakeMemoryCgroup(machine_, run_uuid, *options.memory_limit_bytes, &*journal_);
    if (!directory.ok()) return directory.status();
    cgroup_directory_ = *std::move(directory);
  }
  if (!options.drop_caches) return absl::OkStatus();
  machine_.Sync();
  return machine_.Write(machine_.At("/proc/sys/vm/drop_caches"), "3");
}

absl::Status RunSetup::ApplySettings(const SetupOptions& options) {
  absl::Status status = CheckNobodyElseSets(options.settings, journal_->path());
  for (const KernelSetting& setting : options.settings) {
    if (status.ok()) status = ApplyKernelSetting(machine_, setting, &*journal_);
  }
  // Once more: of two that begin together, one sees the other's journal at the latest here.
  return status.ok() ? CheckNobodyElseSets(options.settings, journal_->path()) : status;
}

absl::Status RunSetup::Undo() {
  if (!journal_) return absl::OkStatus();
  absl::Status status = UndoAll(machine_, &*journal_);
  journal_.reset();
  cgroup_directory_.clear();
  return status;
}

RunSetup::~RunSetup() {
  if (absl::Status status = Undo(); !status.ok()) {
    spdlog::error("{}", std::string(status.message()));
  }
}

int CleanLeftovers(const fs::path& state_directory, Machine& machine) {
  int failed_count = 0;
  for (const fs::path& path : Journal::List(state_directory)) {
    absl::StatusOr<Journal> journal = Journal::Adopt(path);
    if (absl::IsFailedPrecondition(journal.status()) || absl::IsNotFound(journal.status()))
      continue;
    absl::Status status = journal.status();
    if (status.ok()) {
      const std::string run_uuid = journal->run_uuid();
      status = UndoAll(machine, &*journal);
      if (status.ok()) spdlog::warn("undone: what run {} left, whose agent was killed", run_uuid);
    }
    if (status.ok()) continue;
    spdlog::error("{}", std::string(status.message()));
    ++failed_count;
  }
  return failed_count;
}

}  // namespace regressd::agent
