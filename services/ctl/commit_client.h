#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
#include "services/model/commit.h"

namespace regressd::ctl {

struct AddedCommits {
  std::int64_t added = 0;
  std::int64_t completed = 0;  ///< Known by name before.
  std::int64_t unchanged = 0;
};

struct CommitEntry {
  model::Commit commit;
  std::int64_t run_count = 0;
};

/// Adds and lists commits. Errors: the server's. Thread-safe.
class CommitClient {
 public:
  explicit CommitClient(const Connection& connection) : connection_(connection) {}

  /// `commits` are 1 to 1000.
  absl::StatusOr<AddedCommits> Add(std::span<const model::Commit> commits) const;
  /// At most `limit`, newest arrival first.
  absl::StatusOr<std::vector<CommitEntry>> List(const std::string& branch, bool with_runs_only,
                                                std::int32_t limit) const;

 private:
  const Connection& connection_;
};

}  // namespace regressd::ctl
