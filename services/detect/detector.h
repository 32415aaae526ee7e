#pragma once

#include <chrono>
#include <stop_token>

#include "absl/status/statusor.h"
#include "services/analysis/judge.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace regressd::detect {

/// The worker: finished runs -> analysis -> regressions. It moves data and decides nothing. Several may share a database.
/// Thread-safe; Run is for one thread a detector.
class Detector {
 public:
  Detector(storage::RunStore& runs, storage::RegressionStore& regressions, analysis::JudgeOptions options);

  /// Judges due groups until `stop`, looking for new ones every `poll_interval`. Logs and outlives errors.
  void Run(std::stop_token stop, std::chrono::milliseconds poll_interval);

  /// Judges one due group. False when nothing is due.
  absl::StatusOr<bool> Step();

 private:
  storage::RunStore& runs_;
  storage::RegressionStore& regressions_;
  analysis::JudgeOptions options_;
};

}  // namespace regressd::detect
