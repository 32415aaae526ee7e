#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/common/clock.h"
#include "storage/regression_rules.h"
#include "storage/run_store.h"
#include "tests/support/own_status.h"

namespace regressd::test {

/// The tables of MemoryStore, in the shape of storage/migrations. Everything is read and written
/// under `mutex`.

struct StoredRow {
  model::Time time;
  std::vector<std::optional<std::int64_t>> ints;
  std::vector<std::optional<double>> reals;
};

struct StoredStacks {
  model::Time begin_time;
  std::vector<std::pair<std::int64_t, std::int64_t>> counts;  ///< Hash, count.
};

struct StoredObservations {
  std::size_t metric_index = 0;
  std::vector<double> values;
};

struct StoredSource {
  model::Source source;
  std::int64_t last_seq = 0;
  std::int64_t gap_count = 0;
  std::map<std::int64_t, StoredRow> rows;  ///< By seq, as the next two.
  std::map<std::int64_t, StoredStacks> stacks;
  std::map<std::int64_t, StoredObservations> observations;
};

struct StoredRun {
  model::Run run;  ///< Without axes, commit and sources, which stand in their own tables.
  std::int64_t axes_id = 0;
  std::string commit_id;
  std::int64_t epoch = 0;
  bool deleted = false;
  std::map<std::int32_t, StoredSource> sources;
  std::map<std::int64_t, std::string> folded;  ///< By hash.
  std::vector<storage::RunValue> values;       ///< By name.

  bool counts() const {
    return !deleted && run.state == model::RunState::kComplete && run.exclude_reason.empty();
  }
};

struct StoredCommit {
  model::Commit commit;
  model::Time arrival_time;
};

/// By commit id.
using StoredCommits = std::map<std::string, StoredCommit, std::less<>>;

/// InvalidArgument when some commit is its own ancestor.
absl::Status CheckNoCycle(const StoredCommits& commits);

/// A run group's key: axes_id, commit_id.
using GroupKey = std::pair<std::int64_t, std::string>;

struct StoredGroup {
  model::Time arrival_time;
  std::optional<std::string> base_commit_id;
};

struct StoredDue {
  GroupKey group;
  model::Time due_time;
  int attempts = 0;
  std::int64_t queued =
      0;  ///< Which queueing: one that comes while the group is judged outlives the judging.
};

struct StoredRegression {
  storage::KnownRegression known;  ///< Its axes and commits are ids and filled in on the way out.
  std::int64_t axes_id = 0;
};

struct MemoryState {
  explicit MemoryState(const common::Clock& the_clock) : clock(the_clock) {}

  const common::Clock& clock;
  mutable std::mutex mutex;
  absl::Status failure;

  std::map<std::int64_t, StoredRun> runs;
  std::map<std::int64_t, model::Axes> axes;  ///< In the print order that came first.
  StoredCommits commits;
  std::map<GroupKey, StoredGroup> groups;
  std::map<std::int64_t, StoredDue> due;  ///< By run_id.
  std::int64_t queued_count = 0;
  std::set<std::int64_t> judged_axes;  ///< Held by a worker.
  std::map<std::int64_t, StoredRegression> regressions;
  std::vector<model::RegressionEvent> events;  ///< Event k has id k + 1.

  /// The run, unless it was deleted.
  StoredRun* FindRun(std::int64_t run_id);
  /// NotFound of FindRun.
  static absl::Status NoRun();
  /// The run with what stands in other tables.
  model::Run Assemble(const StoredRun& stored) const;
  /// The commit, or one with nothing but its id.
  model::Commit CommitOf(const std::string& commit_id) const;
  /// Adds what a run says of its commit; returns what of it was not taken.
  std::string MergeIn(const model::Commit& normal);
  /// The commits with a full sha that the name stands for, in byte order.
  std::vector<std::string> NamedBy(std::string_view name) const;
  /// The commit of a run under the id that it has here.
  absl::StatusOr<model::Commit> ResolveRunCommit(model::Commit normal, std::int64_t run_id) const;
  /// Moves everything of names that one commit alone has to that commit; returns how many.
  std::int32_t LinkNames();
  /// Moves everything of `name` to `commit_id`.
  void Move(const std::string& name, const std::string& commit_id);
  /// Queues the group of a run for judging.
  void Queue(std::int64_t run_id);
  /// A change of a regression: its version and its event.
  void Record(model::Regression* regression, std::string_view created_by, std::string_view comment);
  /// Some run that counts is in the group.
  bool HasRuns(const GroupKey& key) const;
};

}  // namespace regressd::test
