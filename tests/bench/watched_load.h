#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/setup/machine.h"

namespace regressd::bench {

/// A workload of regress-agent and the result that is its rate.
struct Load {
  std::string name;  ///< "page-fault1".
  std::vector<std::string> arguments;
  std::string result;  ///< "processes_ops".
  std::string unit;
  std::int64_t memory_limit_bytes = 0;  ///< Each run in a memory cgroup of its own; 0: in none.
};

/// One way to run a load.
struct Side {
  std::string name;
  bool watched = false;               ///< Under `regress-agent run`; otherwise bare.
  std::vector<std::string> monitors;  ///< Of a watched one; not empty then.
};

/// Runs loads on this machine, one at a time. One thread.
class LoadRunner {
 public:
  /// `folder` is for the agent's spool, setups and outputs: what is left in it of one that was
  /// killed can be undone by CleanLeftovers.
  LoadRunner(std::string bin_dir, std::filesystem::path folder)
      : bin_dir_(std::move(bin_dir)), folder_(std::move(folder)) {}

  /// The load's rate, above 0. Both kinds of side get a new memory cgroup of the same limit, made
  /// by the same code, with only the load in it.
  /// Errors: Internal with what the load or the agent said; those of the cgroup.
  absl::StatusOr<double> Run(const Load& load, const Side& side);

 private:
  absl::StatusOr<int> RunBare(const Load& load, const std::string& output);
  absl::StatusOr<int> RunWatched(const Load& load, const Side& side, const std::string& output);

  const std::string bin_dir_;
  const std::filesystem::path folder_;
  agent::Machine machine_;
};

}  // namespace regressd::bench
