#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/setup/run_setup.h"
#include "services/model/axes.h"
#include "services/model/commit.h"

namespace regressd::agent {

/// A mail's patch that is tested on a commit; `message_id` empty: none.
struct JobPatch {
  std::string message_id = {};
  std::string base = {};
  std::string subject = {};
  std::string author = {};
  std::string number = {};  ///< "3/7" or "3"; 0/7 is the whole series.
  std::optional<std::int64_t> version = {};

  friend bool operator==(const JobPatch&, const JobPatch&) = default;
};

/// What a job changes on the machine for each of its runs, as it is written.
struct JobSetup {
  std::string memcg;  ///< "1536M".
  std::string swap;   ///< "zram:256M".
  std::string swap_directory;
  std::vector<KernelSetting> settings;
  std::optional<bool> settings_are_axes;
  std::optional<bool> drop_caches;

  friend bool operator==(const JobSetup&, const JobSetup&) = default;
};

/// A test as somebody wrote it down, in a file or as options. Empty or unset: not said.
struct Job {
  std::string testcase;
  std::string commit;
  std::string kernel_describe;
  std::string branch;
  std::string expect_kernel;
  JobPatch patch;
  std::vector<model::Axis> params;  ///< In the order in which they were written, keys unique.
  std::vector<model::Axis> axes;    ///< Likewise.
  JobSetup setup;
  std::vector<std::string> command;
  std::string reader;                     ///< Of ReaderNames(); empty: lines "name value", if any.
  std::vector<std::string> result_files;  ///< What it reads in place of the command's output.
  std::optional<std::vector<std::string>> monitors;
  std::optional<std::int64_t> interval_ms;
  std::vector<std::string> perf_events;
  std::optional<std::int64_t> profile_frequency_hz;
  std::optional<double> profile_window_s;
  std::string profile_event;  ///< Of perf-record; empty: its own choice.
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> warm_up_runs;
  std::optional<double> timeout_s;   ///< Of the command; 0: never.
  std::optional<double> duration_s;  ///< Of watching, for a job without command; 0: until a signal.

  friend bool operator==(const Job&, const Job&) = default;
};

/// `base` with what `over` says put over it: params, axes and settings key by key, all else whole.
Job Overlay(Job base, const Job& over);

/// The axes of a job's runs: testcase, params, axes, then memcg, swap and, if they are to be axes,
/// the settings. tbox_group is added by whoever stores them.
/// Errors: InvalidArgument without a testcase, or for a key that is there with another value.
absl::StatusOr<model::Axes> JobAxes(const Job& job);

/// The tested thing. Errors: InvalidArgument for contradictions.
absl::StatusOr<model::Commit> JobCommit(const Job& job);

/// Errors: InvalidArgument for a size that is none.
absl::StatusOr<SetupOptions> JobSetupOptions(const Job& job);

/// The ways to read a command's output.
std::vector<std::string> ReaderNames();

}  // namespace regressd::agent
