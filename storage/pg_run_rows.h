#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/run.h"
#include "storage/pqxx_compat.h"
#include "storage/run_store.h"

namespace regressd::storage {

/// Rows of runs and their dictionaries as nouns. Throws what pqxx_compat.h throws: call it inside
/// InTransaction.

/// The state of a run for readers: a sealed run is complete. Throws UnreadableValue.
model::RunState ReadRunState(const pqxx::field& state);

/// A metric of columns name, unit, kind, better, reduction from `first` on; scale 1. Throws
/// UnreadableValue.
model::Metric ReadMetric(const pqxx::row& row, int first);

struct SelectedRun {
  std::string uuid;
  RunPosition position;
  absl::StatusOr<model::Run> run;  ///< Whole, or what of it cannot be read.
};

/// The runs of alias r that `tail` (WHERE, ORDER BY, LIMIT) selects.
std::vector<SelectedRun> SelectRuns(pqxx::transaction_base& transaction, const std::string& tail,
                                    const Params& params);

/// A metric in the dictionary of a run.
struct DeclaredMetric {
  std::int32_t source_id = 0;
  std::int32_t ord = 0;  ///< 1 = first column.
  std::string name;      ///< There also when the rest cannot be read.
  model::SourceContent content = model::SourceContent::kIntSamples;
  model::Metric metric;
  absl::Status readable;  ///< Internal when content or metric are not there, and why.
};

/// The dictionary of a run, by source and column. Errors: NotFound when there is no such run.
absl::StatusOr<std::vector<DeclaredMetric>> LoadDictionary(pqxx::transaction_base& transaction,
                                                           std::int64_t run_id);

/// The UUID that people know the run by; empty when it is not there.
std::string RunUuid(pqxx::transaction_base& transaction, std::int64_t run_id);

/// The status of asking for a run that is not there: NotFound. Callers found its id a moment ago.
absl::Status NoRun();
/// NoRun unless it is there.
absl::Status CheckRunExists(pqxx::transaction_base& transaction, std::int64_t run_id);

}  // namespace regressd::storage
