#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/commit.h"
#include "storage/listed.h"

namespace regressd::storage {

struct AddCommitsOutcome {
  std::int32_t added_count = 0;
  std::int32_t completed_count = 0;
  std::int32_t unchanged_count = 0;
  std::int32_t linked_count = 0;  ///< Names under which runs had come, and which are these commits.
};

struct CommitEntry {
  model::Commit commit;
  std::int64_t run_count = 0;  ///< Complete, not excluded.
  model::Time arrival_time;
};

struct CommitPosition {
  model::Time arrival_time;
  std::string commit_id;
};

using ListedCommit = Listed<CommitEntry, CommitPosition>;

/// Knows commits and patches and how they follow each other. Thread-safe.
/// Errors of every method: Unavailable when the store cannot be reached; Internal when the commit that was asked for cannot
/// be read (see Listed), with its id and the column.
class CommitStore {
 public:
  virtual ~CommitStore() = default;

  /// Adds commits, or fills in what was empty of known ones; what is known and not empty stays, branches are united.
  /// Groups whose place changed by it are queued for judging. A commit that a run named by first digits, describe or tag
  /// becomes the one with the full sha as soon as exactly one is known: its runs, groups, regressions and patches move.
  /// All or nothing.
  /// Errors: AlreadyExists when a commit is known with other parents; it names both. InvalidArgument when one would
  /// become its own ancestor; it names the cycle.
  virtual absl::StatusOr<AddCommitsOutcome> AddCommits(std::span<const model::Commit> commits,
                                                       std::string_view created_by) = 0;

  /// By id, prefix of at least 7 characters, tag, describe, or patch Message-ID (the newest arrival of several bases).
  /// Errors: NotFound with near names; InvalidArgument when a prefix, tag or describe names several, or for a branch.
  virtual absl::StatusOr<model::Commit> Resolve(std::string_view name) = 0;

  /// At most `limit` before `after`, newest arrival first.
  virtual absl::StatusOr<std::vector<ListedCommit>> ListCommits(std::string_view branch, bool with_runs_only,
                                                                std::optional<CommitPosition> after,
                                                                std::int32_t limit) = 0;
};

}  // namespace regressd::storage
