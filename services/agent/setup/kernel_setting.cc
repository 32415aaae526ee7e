#include "services/agent/setup/kernel_setting.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "services/parse/text.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHugePages = "transparent_hugepage.enabled";
constexpr std::string_view kVm = "vm.";

/// Setting one of a pair makes the other 0, and 0 is no value that could be written back.
struct Pair {
  std::string_view one;
  std::string_view other;
};
constexpr std::array kPairs = {
    Pair{"vm.dirty_ratio", "vm.dirty_bytes"},
    Pair{"vm.dirty_background_ratio", "vm.dirty_background_bytes"},
    Pair{"vm.overcommit_ratio", "vm.overcommit_kbytes"},
};

/// The other of its pair, or "".
std::string_view OtherOf(std::string_view key) {
  for (const Pair& pair : kPairs) {
    if (pair.one == key) return pair.other;
    if (pair.other == key) return pair.one;
  }
  return {};
}

fs::path PathOf(const Machine& machine, std::string_view key) {
  if (key == kHugePages) return machine.At("/sys/kernel/mm/transparent_hugepage/enabled");
  return machine.At(fmt::format("/proc/sys/vm/{}", key.substr(kVm.size())));
}

/// One blank between words; of "always [madvise] never" the chosen one.
std::string Normal(std::string_view text) {
  std::vector<std::string_view> words;
  parse::SplitWords(text, &words);
  std::string normal;
  for (const std::string_view word : words) {
    if (word.starts_with('[') && word.ends_with(']')) {
      return std::string(word.substr(1, word.size() - 2));
    }
    if (!normal.empty()) normal += ' ';
    normal += word;
  }
  return normal;
}

bool IsVmName(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

absl::Status Set(const Machine& machine, const KernelSetting& setting) {
  const fs::path path = PathOf(machine, setting.key);
  absl::Status status = machine.Write(path, setting.value);
  if (absl::IsInvalidArgument(status)) {
    return absl::InvalidArgumentError(fmt::format("the kernel does not take {}={}: {}", setting.key,
                                                  setting.value, std::string(status.message())));
  }
  return status;
}

}  // namespace

absl::StatusOr<KernelSetting> MakeKernelSetting(std::string_view key, std::string_view value) {
  if (key != kHugePages && !(key.starts_with(kVm) && IsVmName(key.substr(kVm.size())))) {
    return absl::InvalidArgumentError(fmt::format(
        "setting {}: only vm.NAME and {} can be set for a run", parse::Quote(key), kHugePages));
  }
  const std::string normal = Normal(value);
  if (normal.empty()) {
    return absl::InvalidArgumentError(fmt::format("setting {} has no value", key));
  }
  return KernelSetting{.key = std::string(key), .value = normal};
}

absl::StatusOr<KernelSetting> ParseKernelSetting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(
        fmt::format("setting {}: write it as KEY=VALUE", parse::Quote(text)));
  }
  return MakeKernelSetting(text.substr(0, equals), text.substr(equals + 1));
}

absl::StatusOr<std::string> ReadKernelSetting(const Machine& machine, const std::string& key) {
  absl::StatusOr<std::string> text = machine.Read(PathOf(machine, key));
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(fmt::format("this kernel has no setting {}: {}", key,
                                           std::string(text.status().message())));
  }
  if (!text.ok()) {
    return absl::PermissionDeniedError(
        fmt::format("setting {} could not be put back after the run: {}", key,
                    std::string(text.status().message())));
  }
  return Normal(*text);
}

absl::Status ApplyKernelSetting(const Machine& machine, const KernelSetting& setting,
                                Journal* journal) {
  const absl::StatusOr<std::string> before = ReadKernelSetting(machine, setting.key);
  if (!before.ok()) return before.status();
  Change change{.kind = ChangeKind::kSetting, .what = setting.key, .before = *before};
  if (const std::string other(OtherOf(setting.key)); !other.empty() && *before == "0") {
    const absl::StatusOr<std::string> other_before = ReadKernelSetting(machine, other);
    if (!other_before.ok()) return other_before.status();
    if (*other_before != "0") change = {ChangeKind::kSetting, other, *other_before};
  }
  if (absl::Status status = journal->Record(change); !status.ok()) return status;
  if (absl::Status status = Set(machine, setting); !status.ok()) return status;
  const absl::StatusOr<std::string> now = ReadKernelSetting(machine, setting.key);
  if (!now.ok()) return now.status();
  if (*now == setting.value) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("the kernel took {} for {}={}; ask for that", *now, setting.key, setting.value));
}

absl::Status RestoreKernelSetting(const Machine& machine, const Change& change) {
  const absl::StatusOr<KernelSetting> setting = MakeKernelSetting(change.what, change.before);
  if (!setting.ok()) return setting.status();
  if (const auto now = ReadKernelSetting(machine, setting->key);
      now.ok() && *now == setting->value) {
    return absl::OkStatus();
  }
  return Set(machine, *setting);
}

}  // namespace regressd::agent
