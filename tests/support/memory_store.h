#pragma once

#include <memory>

#include "services/common/clock.h"
#include "storage/commit_store.h"
#include "storage/ingest_store.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace regressd::test {

struct MemoryState;

/// All stores at once, in memory, with the contracts of their headers: the contract suite of
/// tests/storage runs on it and on PostgreSQL. For tests of what stands on the stores. Thread-safe;
/// the clock must outlive it.
class MemoryStore : public storage::IngestStoreFactory,
                    public storage::RunStore,
                    public storage::CommitStore,
                    public storage::RegressionStore {
 public:
  explicit MemoryStore(const common::Clock& clock);
  ~MemoryStore() override;

  /// From now on every method returns `status`, as when the database is away; OK ends it.
  void FailWith(absl::Status status);
  /// As an operator's deletion leaves a run.
  void MarkDeleted(std::int64_t run_id);

  // IngestStoreFactory
  absl::StatusOr<std::unique_ptr<storage::IngestStore>> Connect() override;

  // RunStore
  absl::StatusOr<model::Run> GetRun(std::string_view uuid_or_prefix) override;
  absl::StatusOr<std::vector<storage::ListedRun>> ListRuns(
      const storage::RunFilter& filter, std::optional<storage::RunPosition> after,
      std::int32_t limit) override;
  absl::StatusOr<std::vector<storage::ListedRunValue>> ListRunValues(std::int64_t run_id) override;
  absl::Status ReadSamples(std::int64_t run_id, std::span<const std::string> metrics,
                           const storage::TimeRange& range,
                           const std::function<absl::Status(storage::SamplePart)>& take) override;
  absl::StatusOr<std::vector<storage::StackCount>> ReadStacks(
      std::int64_t run_id, const storage::TimeRange& range) override;
  absl::Status ReadObservations(
      std::int64_t run_id, std::string_view metric,
      const std::function<absl::Status(const model::Metric&, std::vector<double>)>& take) override;
  absl::StatusOr<storage::ExcludeOutcome> Exclude(std::int64_t run_id, std::string_view reason,
                                                  std::string_view excluded_by) override;
  absl::StatusOr<std::vector<model::RunGroup>> LoadGroups(
      const storage::GroupFilter& filter) override;

  // CommitStore
  absl::StatusOr<storage::AddCommitsOutcome> AddCommits(std::span<const model::Commit> commits,
                                                        std::string_view created_by) override;
  absl::StatusOr<model::Commit> Resolve(std::string_view name) override;
  absl::StatusOr<std::vector<storage::ListedCommit>> ListCommits(
      std::string_view branch, bool with_runs_only, std::optional<storage::CommitPosition> after,
      std::int32_t limit) override;

  // RegressionStore
  absl::StatusOr<std::vector<storage::ListedRegression>> ListRegressions(
      const storage::RegressionFilter& filter, std::optional<storage::RegressionPosition> after,
      std::int32_t limit) override;
  absl::StatusOr<storage::RegressionWithEvents> GetRegression(std::int64_t regression_id) override;
  absl::StatusOr<model::Regression> SetState(std::int64_t regression_id,
                                             model::RegressionState state, std::string_view comment,
                                             std::string_view changed_by,
                                             std::optional<std::int64_t> expected_version) override;
  absl::StatusOr<std::int64_t> LastEventId() override;
  absl::StatusOr<std::vector<storage::ListedChange>> ListChanges(std::int64_t event_id,
                                                                 std::int32_t limit) override;
  absl::StatusOr<bool> ProcessOneDue(
      const std::function<absl::StatusOr<std::vector<storage::Detection>>(
          const storage::DueGroup&)>& judge) override;
  absl::StatusOr<std::int64_t> CountDue() override;
  absl::StatusOr<std::vector<GroupPair>> PairsOf(const storage::DueGroup& group) override;

 private:
  std::unique_ptr<MemoryState> state_;
};

}  // namespace regressd::test
