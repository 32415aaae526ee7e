#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/workloads/workload.h"

namespace regressd::agent {

struct BuildOptions {
  std::vector<std::string> command = {};  ///< What is timed; empty: make over a tree of our own.
  int job_count = 0;                      ///< make -j; 0: the CPUs that this process may use.
  int round_count = 1;
  int file_count = 60;                   ///< Of the own tree.
  std::chrono::milliseconds timeout{0};  ///< Of one build; 0: none.
  std::filesystem::path directory = {};  ///< For the own tree; empty: TMPDIR or /tmp.
};

/// What kernbench does, with a smaller tree: builds it by `make -jN` from clean objects once a
/// round, and takes user, system and elapsed time of each build. Results are kernbench's of
/// mmtests, user-N, syst-N, elsp-N, once a round; without "-N" for a command of the caller's with
/// no job count.
///
/// Different from kernbench: by default the tree is one of our own, written on the spot (see
/// source_tree.h), and no build warms up before the first. The memory limit is the surrounding
/// cgroup's.
///
/// Checks that each build ends well and that the program made by it prints what it must. Removes
/// the tree, also after SIGINT, SIGTERM or SIGKILL.
/// Errors: InvalidArgument; NotFound when make or the compiler is missing; FailedPrecondition when
/// a build fails, with its last lines; Cancelled when told to stop; Unavailable from the system.
absl::StatusOr<WorkloadResult> RunMemcgBuild(const BuildOptions& options);

}  // namespace regressd::agent
