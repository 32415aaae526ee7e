#pragma once

#include "storage/commit_store.h"
#include "storage/connection_pool.h"

namespace regressd::storage {

/// CommitStore on PostgreSQL. Thread-safe; the pool must outlive it.
class PgCommitStore : public CommitStore {
 public:
  explicit PgCommitStore(ConnectionPool& pool) : pool_(pool) {}

  absl::StatusOr<AddCommitsOutcome> AddCommits(std::span<const model::Commit> commits,
                                               std::string_view created_by) override;
  absl::StatusOr<model::Commit> Resolve(std::string_view name) override;
  absl::StatusOr<std::vector<ListedCommit>> ListCommits(std::string_view branch,
                                                        bool with_runs_only,
                                                        std::optional<CommitPosition> after,
                                                        std::int32_t limit) override;

 private:
  ConnectionPool& pool_;
};

}  // namespace regressd::storage
