#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/regression.h"
#include "storage/pqxx_compat.h"
#include "storage/regression_rules.h"
#include "storage/regression_store.h"

namespace regressd::storage {

/// Rows of regressions as nouns and back. Throws what pqxx_compat.h throws: call it inside
/// InTransaction.

enum class MetricsWanted { kHeadline, kAll };

struct SelectedRegression {
  RegressionPosition position;
  absl::StatusOr<KnownRegression> known;  ///< Whole, or what of it cannot be read.

  std::string name() const;  ///< "regression 7".
};

/// The regressions of alias g that `tail` (WHERE, ORDER BY, LIMIT, FOR UPDATE) selects.
std::vector<SelectedRegression> SelectRegressions(pqxx::transaction_base& transaction,
                                                  const std::string& tail, const Params& params,
                                                  MetricsWanted wanted);
/// The same, when each is needed. Errors: Internal when one cannot be read.
absl::StatusOr<std::vector<KnownRegression>> SelectReadable(pqxx::transaction_base& transaction,
                                                            const std::string& tail,
                                                            const Params& params,
                                                            MetricsWanted wanted);

/// From now to the end of the transaction nobody else writes regressions or events, so event ids
/// become visible in order.
void LockEvents(pqxx::transaction_base& transaction);

/// Adds a regression with its metrics; gives its id. Its first event is not yet there.
std::int64_t InsertRegression(pqxx::transaction_base& transaction, std::int64_t axes_id,
                              std::string_view base_commit_id, std::string_view head_commit_id,
                              model::RegressionState state, const model::Regression& found);

/// Replaces what the worker found; the version rises.
void UpdateFinding(pqxx::transaction_base& transaction, std::int64_t regression_id,
                   model::RegressionState state, const model::Regression& found);

enum class StateBy { kWorker, kPerson };
/// Sets the state alone; the version rises.
void UpdateState(pqxx::transaction_base& transaction, std::int64_t regression_id,
                 model::RegressionState state, StateBy by);

void AddEvent(pqxx::transaction_base& transaction, std::int64_t regression_id,
              model::RegressionState state, std::string_view created_by, std::string_view comment);

/// What stands between SELECT and FROM for ReadEvent; the table regression_event has the alias e.
std::string EventColumns();
/// Throws UnreadableValue.
model::RegressionEvent ReadEvent(const pqxx::row& row);

}  // namespace regressd::storage
