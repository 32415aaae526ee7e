#include "services/agent/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "services/agent/readers/readers.h"
#include "services/agent/setup/size.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

// Below this no program starts.
constexpr std::int64_t kMinMemoryLimit = 1 << 20;

void Take(const std::string& over, std::string* base) {
  if (!over.empty()) *base = over;
}

template <typename T>
void Take(const std::vector<T>& over, std::vector<T>* base) {
  if (!over.empty()) *base = over;
}

template <typename T>
void Take(const std::optional<T>& over, std::optional<T>* base) {
  if (over) *base = over;
}

/// Pairs by key: a known key keeps its place and gets the new value.
template <typename Pair>
void TakePairs(const std::vector<Pair>& over, std::vector<Pair>* base) {
  for (const Pair& pair : over) {
    const auto known = std::find_if(base->begin(), base->end(),
                                    [&pair](const Pair& other) { return other.key == pair.key; });
    if (known == base->end()) {
      base->push_back(pair);
    } else {
      known->value = pair.value;
    }
  }
}

absl::Status AddAxis(const std::string& key, const std::string& value, std::string_view origin,
                     model::Axes* axes) {
  const auto known = axes->Find(key);
  if (known && *known != value) {
    return absl::InvalidArgumentError(
        fmt::format("{} {}={}: {} is {} already; name it once", origin, key, value, key, *known));
  }
  axes->Set(key, value);
  return absl::OkStatus();
}

absl::Status ReadPatchNumber(const std::string& text, model::Patch* patch) {
  std::vector<std::string_view> parts;
  parse::SplitFields(text, '/', &parts);
  const auto number = parse::ToInt(parts[0]);
  const auto total = parts.size() == 2 ? parse::ToInt(parts[1]) : number;
  if (parts.size() > 2 || !number || !total || *number < 0 || *total < 1 || *number > *total ||
      *total > 10'000) {
    return absl::InvalidArgumentError(
        fmt::format("patch number \"{}\": write it as 3/7, or 0/7 for the series", text));
  }
  patch->number = static_cast<std::int32_t>(*number);
  patch->total = static_cast<std::int32_t>(*total);
  return absl::OkStatus();
}

}  // namespace

Job Overlay(Job base, const Job& over) {
  Take(over.testcase, &base.testcase);
  // Another tested thing replaces the first one whole.
  if (!over.commit.empty() || !over.patch.message_id.empty()) {
    base.commit.clear();
    base.kernel_describe.clear();
    base.patch = {};
  }
  Take(over.commit, &base.commit);
  Take(over.kernel_describe, &base.kernel_describe);
  Take(over.branch, &base.branch);
  Take(over.expect_kernel, &base.expect_kernel);
  Take(over.patch.message_id, &base.patch.message_id);
  Take(over.patch.base, &base.patch.base);
  Take(over.patch.subject, &base.patch.subject);
  Take(over.patch.author, &base.patch.author);
  Take(over.patch.number, &base.patch.number);
  Take(over.patch.version, &base.patch.version);
  TakePairs(over.params, &base.params);
  TakePairs(over.axes, &base.axes);
  Take(over.setup.memcg, &base.setup.memcg);
  Take(over.setup.swap, &base.setup.swap);
  Take(over.setup.swap_directory, &base.setup.swap_directory);
  TakePairs(over.setup.settings, &base.setup.settings);
  Take(over.setup.settings_are_axes, &base.setup.settings_are_axes);
  Take(over.setup.drop_caches, &base.setup.drop_caches);
  Take(over.command, &base.command);
  Take(over.reader, &base.reader);
  Take(over.result_files, &base.result_files);
  Take(over.monitors, &base.monitors);
  Take(over.interval_ms, &base.interval_ms);
  Take(over.perf_events, &base.perf_events);
  Take(over.profile_frequency_hz, &base.profile_frequency_hz);
  Take(over.profile_window_s, &base.profile_window_s);
  Take(over.profile_event, &base.profile_event);
  Take(over.runs, &base.runs);
  Take(over.warm_up_runs, &base.warm_up_runs);
  Take(over.timeout_s, &base.timeout_s);
  Take(over.duration_s, &base.duration_s);
  return base;
}

absl::StatusOr<model::Axes> JobAxes(const Job& job) {
  if (job.testcase.empty()) return absl::InvalidArgumentError("--testcase is missing");
  model::Axes axes;
  axes.Set("testcase", job.testcase);
  absl::Status status;
  const auto add = [&](const std::string& key, const std::string& value, std::string_view origin) {
    if (status.ok()) status = AddAxis(key, value, origin, &axes);
  };
  for (const model::Axis& param : job.params) add(param.key, param.value, "--param");
  for (const model::Axis& axis : job.axes) add(axis.key, axis.value, "--axis");
  const absl::StatusOr<SetupOptions> setup = JobSetupOptions(job);
  if (!setup.ok()) return setup.status();
  if (setup->memory_limit_bytes) add("memcg", SizeText(*setup->memory_limit_bytes), "--memcg");
  if (setup->swap) add("swap", SwapSpecText(*setup->swap), "--setup-swap");
  if (job.setup.settings_are_axes.value_or(false)) {
    for (const KernelSetting& setting : setup->settings) add(setting.key, setting.value, "--set");
  }
  if (!status.ok()) return status;
  return axes;
}

absl::StatusOr<model::Commit> JobCommit(const Job& job) {
  model::Commit commit;
  commit.describe = job.kernel_describe;
  if (!job.branch.empty()) commit.branches.push_back(job.branch);
  if (job.patch.message_id.empty()) {
    if (job.patch != JobPatch{.version = job.patch.version}) {
      return absl::InvalidArgumentError("--patch-... options need --patch-message-id");
    }
    if (job.commit.empty()) return absl::InvalidArgumentError("--commit is missing");
    commit.commit_id = job.commit;
    return commit;
  }
  model::Patch patch;
  patch.message_id = job.patch.message_id;
  if (patch.message_id.starts_with('<') && patch.message_id.ends_with('>')) {
    patch.message_id = patch.message_id.substr(1, patch.message_id.size() - 2);
  }
  if (!job.patch.base.empty() && !job.commit.empty() && job.patch.base != job.commit) {
    return absl::InvalidArgumentError(
        fmt::format("--commit {} and --patch-base {} differ: a patch is tested on one commit; "
                    "leave one of them out",
                    parse::Quote(job.commit), parse::Quote(job.patch.base)));
  }
  patch.base_commit_id = job.patch.base.empty() ? job.commit : job.patch.base;
  if (patch.base_commit_id.empty()) {
    return absl::InvalidArgumentError("--patch-base is missing: a patch is tested on a commit");
  }
  patch.series_version = static_cast<std::int32_t>(job.patch.version.value_or(1));
  patch.subject = job.patch.subject;
  patch.author = job.patch.author;
  if (!job.patch.number.empty()) {
    if (absl::Status status = ReadPatchNumber(job.patch.number, &patch); !status.ok()) {
      return status;
    }
  }
  commit.patch = std::move(patch);
  return commit;
}

absl::StatusOr<SetupOptions> JobSetupOptions(const Job& job) {
  SetupOptions options;
  if (!job.setup.memcg.empty()) {
    options.memory_limit_bytes = ParseSize(job.setup.memcg);
    if (!options.memory_limit_bytes || *options.memory_limit_bytes < kMinMemoryLimit) {
      return absl::InvalidArgumentError(fmt::format(
          "memory limit {}: write it as 1536M or 2G, 1M or more", parse::Quote(job.setup.memcg)));
    }
  }
  if (!job.setup.swap.empty()) {
    const absl::StatusOr<SwapSpec> swap = ParseSwapSpec(job.setup.swap);
    if (!swap.ok()) return swap.status();
    options.swap = *swap;
  }
  if (!job.setup.swap_directory.empty()) {
    options.swap_directory = std::filesystem::absolute(job.setup.swap_directory);
  }
  options.settings = job.setup.settings;
  options.drop_caches = job.setup.drop_caches.value_or(false);
  return options;
}

std::vector<std::string> ReaderNames() {
  std::vector<std::string> names;
  for (const ReaderChoice& choice : AllReaders()) names.emplace_back(choice.name);
  return names;
}

}  // namespace regressd::agent
