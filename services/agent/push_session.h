#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/delivery.h"
#include "services/agent/recording.h"
#include "services/agent/results.h"
#include "services/agent/run_session.h"

namespace regressd::agent {

/// What was read of a finished benchmark's logs.
struct PushedResults {
  std::unique_ptr<ResultCollector> collector;  ///< Null: nothing. Its reading is finished.
  std::string failure;                         ///< Why the run failed, of its reading.
  std::optional<model::Time> begin_time;       ///< When the benchmark began, if somebody said it.
  std::optional<model::Time> write_time;       ///< When the last of its logs was written.
};

/// Sends recordings and results as one run that began and ended when they did.
/// Errors: InvalidArgument when two recordings are of one source, when none of them nor their files
/// have a time, or when the spec would be refused by any server.
absl::StatusOr<RunReport> PushRecordings(const model::RunSpec& spec,
                                         std::vector<Recording> recordings, PushedResults results,
                                         const DeliveryOptions& delivery,
                                         TerminationSignal& termination);

}  // namespace regressd::agent
