#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/delivery.h"
#include "services/agent/recording.h"
#include "services/agent/run_session.h"

namespace regressd::agent {

/// Sends recordings as one run that began and ended when they did.
/// Errors: InvalidArgument when two recordings are of one source, when none of them nor their files
/// have a time, or when the spec would be refused by any server.
absl::StatusOr<RunReport> PushRecordings(const model::RunSpec& spec,
                                         std::vector<Recording> recordings,
                                         const DeliveryOptions& delivery,
                                         TerminationSignal& termination);

}  // namespace regressd::agent
