#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "services/model/regression.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {

/// Rows of regression_metric. Throws what pqxx_compat.h throws: call it inside InTransaction.

using MetricsById = std::map<std::int64_t, absl::StatusOr<std::vector<model::RegressionMetric>>>;

/// The metrics of regressions by regression_id, the headline first; `headline_only` leaves out the
/// others. Of a regression with a metric that cannot be read there is an error that names it.
MetricsById LoadMetrics(pqxx::transaction_base& transaction,
                        const std::vector<std::int64_t>& regression_ids, bool headline_only);

/// Adds the metrics of a regression that has none.
void InsertMetrics(pqxx::transaction_base& transaction, std::int64_t regression_id,
                   const std::vector<model::RegressionMetric>& metrics);

}  // namespace regressd::storage
