#pragma once

#include <chrono>
#include <stop_token>

#include "absl/status/statusor.h"
#include "services/analysis/judge.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace regressd::detect {

/// The worker: finished runs -> analysis -> regressions. It moves data and decides nothing. Several
/// may share a database. Thread-safe; Run is for one thread a detector.
class Detector {
 public:
  /// The stores must outlive it.
  Detector(storage::RunStore& runs, storage::RegressionStore& regressions,
           analysis::JudgeOptions options);

  /// Judges due groups until `stop`, looking for new ones every `poll_interval`. Logs and outlives
  /// errors: a group that cannot be judged is left to the store, which offers it again later; while
  /// the store is away, it asks less and less often, at least twice a minute.
  void Run(std::stop_token stop, std::chrono::milliseconds poll_interval);

  /// Judges one due group: each of its comparisons, in one transaction. False when nothing is due.
  /// Errors: those of the stores.
  absl::StatusOr<bool> Step();

 private:
  absl::StatusOr<std::vector<storage::Detection>> JudgeGroup(const storage::DueGroup& group) const;
  absl::StatusOr<storage::Detection> JudgePair(
      std::int64_t axes_id, const storage::RegressionStore::GroupPair& pair) const;

  storage::RunStore& runs_;
  storage::RegressionStore& regressions_;
  analysis::JudgeOptions options_;
};

/// How long to leave a store alone that failed `failure_count` times in a row: 100 ms, doubling, at
/// most 30 s.
std::chrono::milliseconds CalmDown(int failure_count);

}  // namespace regressd::detect
