#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/figure.h"

namespace regressd::bench {

struct SubjectOptions {
  bool quick = false;   ///< Only what has a must, in shorter runs.
  std::string bin_dir;  ///< Where the programs of the same build are.
};

/// What the agent costs the machine that it watches. Starts a regressd of its own.
absl::StatusOr<std::vector<Figure>> MeasureAgent(const SubjectOptions& options);

}  // namespace regressd::bench
