#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/job/job.h"

namespace regressd::agent {

/// One of the things that a series measures in turns.
struct SeriesJob {
  std::string label;   ///< Of the plan alone; unique in it.
  std::string kernel;  ///< As --expect-kernel; empty: whatever runs.
  Job job;
};

/// Jobs and the order of their runs.
struct SeriesPlan {
  std::vector<SeriesJob> jobs;
  std::vector<std::size_t> steps;          ///< Index of the job of each run, in order.
  std::int64_t warm_up_runs = 0;           ///< Of each job, before its first run after each boot.
  double cool_down_s = 0;                  ///< Between two commands.
  std::vector<std::string> switch_kernel;  ///< Boots REGRESS_KERNEL; empty: somebody does.
  std::string text;                        ///< Of all files that it came from.
};

/// Reads a plan in TOML; files that it names are found from `directory`.
/// Errors: InvalidArgument, "file:line: ..."; NotFound for a job's file.
absl::StatusOr<SeriesPlan> ParseSeriesPlan(std::string_view text, const std::string& file,
                                           const std::string& directory);
absl::StatusOr<SeriesPlan> ReadSeriesPlan(const std::string& file);

/// The labels of an A/A series, and the axis that has them.
inline constexpr const char* kAaAxis = "aa";

/// `count` runs of one job in turns as A and A', which differ in their label alone: what a
/// comparison of them finds is the machine's own noise.
SeriesPlan MakeAaPlan(const Job& job, std::int64_t count);

}  // namespace regressd::agent
