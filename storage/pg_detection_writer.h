#pragma once

#include <vector>

#include "absl/status/status.h"
#include "storage/pqxx_compat.h"
#include "storage/regression_store.h"

namespace regressd::storage {

/// Stores what the worker found, by the rules of regression_rules.h, with the events of what became
/// visible. Throws what pqxx_compat.h throws: call it inside InTransaction.
absl::Status WriteDetections(pqxx::transaction_base& transaction,
                             const std::vector<Detection>& detections);

}  // namespace regressd::storage
