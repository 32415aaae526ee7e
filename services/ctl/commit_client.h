#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
#include "services/ctl/skipped.h"
#include "services/model/commit.h"

namespace regressd::ctl {

struct AddedCommits {
  std::int64_t added = 0;
  std::int64_t completed = 0;  ///< Known by name before.
  std::int64_t unchanged = 0;
  std::int64_t linked = 0;  ///< Names that runs had come under.
};

struct CommitEntry {
  model::Commit commit;
  std::int64_t run_count = 0;
};

/// Adds and lists commits. What of a list cannot be read goes to `skipped`. Errors: the server's.
/// Thread-safe.
class CommitClient {
 public:
  CommitClient(const Connection& connection, Skipped skipped)
      : connection_(connection), skipped_(std::move(skipped)) {}

  /// `commits` are 1 to 1000.
  absl::StatusOr<AddedCommits> Add(std::span<const model::Commit> commits) const;
  /// At most `limit`, those that cannot be read among them, newest arrival first.
  absl::StatusOr<std::vector<CommitEntry>> List(const std::string& branch, bool with_runs_only,
                                                std::int32_t limit) const;

 private:
  const Connection& connection_;
  const Skipped skipped_;
};

}  // namespace regressd::ctl
