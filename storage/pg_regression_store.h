#pragma once

#include "storage/connection_pool.h"
#include "storage/regression_store.h"

namespace regressd::storage {

/// RegressionStore on PostgreSQL. Thread-safe; the pool must outlive it. A worker in ProcessOneDue
/// holds one connection of the pool while `judge` borrows others: give the pool at least two a
/// worker.
class PgRegressionStore : public RegressionStore {
 public:
  explicit PgRegressionStore(ConnectionPool& pool) : pool_(pool) {}

  absl::StatusOr<std::vector<ListedRegression>> ListRegressions(
      const RegressionFilter& filter, std::optional<RegressionPosition> after,
      std::int32_t limit) override;
  absl::StatusOr<RegressionWithEvents> GetRegression(std::int64_t regression_id) override;
  absl::StatusOr<model::Regression> SetState(std::int64_t regression_id,
                                             model::RegressionState state, std::string_view comment,
                                             std::string_view changed_by,
                                             std::optional<std::int64_t> expected_version) override;
  absl::StatusOr<std::int64_t> LastEventId() override;
  absl::StatusOr<std::vector<ListedChange>> ListChanges(std::int64_t event_id,
                                                        std::int32_t limit) override;
  absl::StatusOr<bool> ProcessOneDue(
      const std::function<absl::StatusOr<std::vector<Detection>>(const DueGroup&)>& judge) override;
  absl::StatusOr<std::int64_t> CountDue() override;
  absl::StatusOr<std::vector<GroupPair>> PairsOf(const DueGroup& group) override;

 private:
  ConnectionPool& pool_;
};

}  // namespace regressd::storage
