#pragma once

#include "services/agent/delivery.h"

namespace regressd::agent {

/// Sends what earlier runs left in the spool directory, oldest first; a run whose agent died ends
/// as failed. Spools that another agent holds are left alone. Returns the program's exit code: the
/// first that is not OK.
int DeliverLeftovers(const DeliveryOptions& options, TerminationSignal& termination);

}  // namespace regressd::agent
