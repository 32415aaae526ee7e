#pragma once

#include "storage/connection_pool.h"
#include "storage/run_store.h"

namespace regressd::storage {

/// RunStore on PostgreSQL. Long reads are many short transactions, so that a slow reader holds no
/// connection. Thread-safe; the pool must outlive it.
class PgRunStore : public RunStore {
 public:
  explicit PgRunStore(ConnectionPool& pool) : pool_(pool) {}

  absl::StatusOr<model::Run> GetRun(std::string_view uuid_or_prefix) override;
  absl::StatusOr<std::vector<ListedRun>> ListRuns(const RunFilter& filter,
                                                  std::optional<RunPosition> after,
                                                  std::int32_t limit) override;
  absl::StatusOr<std::vector<ListedRunValue>> ListRunValues(std::int64_t run_id) override;
  absl::Status ReadSamples(std::int64_t run_id, std::span<const std::string> metrics,
                           const TimeRange& range,
                           const std::function<absl::Status(SamplePart)>& take) override;
  absl::StatusOr<std::vector<StackCount>> ReadStacks(std::int64_t run_id,
                                                     const TimeRange& range) override;
  absl::Status ReadObservations(
      std::int64_t run_id, std::string_view metric,
      const std::function<absl::Status(const model::Metric&, std::vector<double>)>& take) override;
  absl::StatusOr<ExcludeOutcome> Exclude(std::int64_t run_id, std::string_view reason,
                                         std::string_view excluded_by) override;
  absl::StatusOr<std::vector<model::RunGroup>> LoadGroups(const GroupFilter& filter) override;

 private:
  ConnectionPool& pool_;
};

}  // namespace regressd::storage
