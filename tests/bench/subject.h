#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/figure.h"

namespace regressd::bench {

struct SubjectOptions {
  bool quick = false;      ///< Only what has a must, in shorter runs.
  int runs = 30;           ///< Of each side of a comparison; at least 4.
  std::uint64_t seed = 1;  ///< Of the order of runs.
  std::string bin_dir;     ///< Where the programs of the same build are.
};

/// CPU and memory of the agent with each choice of monitors. Starts a regressd of its own.
absl::StatusOr<std::vector<Figure>> MeasureAgentCost(const SubjectOptions& options);

/// By how much workloads slow down under the agent: page-fault1, and as root swap-w-seq. Bare,
/// with the monitors that run by default, and with perf-record, in blocks of one run each and in an
/// order drawn anew for each block. Nothing is sent: a server's work belongs to another machine.
/// Errors: Cancelled when a signal ended it.
absl::StatusOr<std::vector<Figure>> MeasureSlowDown(const SubjectOptions& options);

/// CPU time and bytes of packing samples into blocks and back, on recorded samples.
absl::StatusOr<std::vector<Figure>> MeasureCodec(const SubjectOptions& options);

}  // namespace regressd::bench
