#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/run.h"
#include "services/model/run_group.h"
#include "storage/listed.h"

namespace regressd::storage {

/// Which runs. Unset fields do not filter.
struct RunFilter {
  model::Axes axes;  ///< Only runs with all of these.
  std::optional<std::string> commit_id;
  std::optional<std::string> testbox;
  std::optional<model::RunState> state;
};

/// Place in a list that is ordered by (time, id), newest first.
struct RunPosition {
  model::Time create_time;
  std::int64_t run_id = 0;
};

struct RunValue {
  model::Metric metric;
  double value = 0;
  std::int64_t sample_count = 0;
};

using ListedRun = Listed<model::Run, RunPosition>;
/// Its position is the metric's name.
using ListedRunValue = Listed<RunValue, std::string>;

/// One value of one metric at one instant.
struct Sample {
  model::Time time;
  std::int64_t seq = 0;
  std::optional<std::int64_t> stored_int;  ///< The exact integer (bit pattern of a counter); unset for doubles.
  std::optional<double> value;             ///< In the metric's unit; unset when missing.
};

/// Samples of one metric of one source, in order of seq.
struct SamplePart {
  model::Metric metric;
  std::int32_t source_id = 0;
  std::vector<Sample> samples;
};

struct StackCount {
  std::string event;
  std::string folded;
  std::int64_t count = 0;
};

/// Half-open; unset ends are open.
struct TimeRange {
  std::optional<model::Time> begin;
  std::optional<model::Time> end;
};

enum class ExcludeOutcome { kExcluded, kAlreadyExcluded };

/// Which run groups: the given commits, any axes that contain these.
struct GroupFilter {
  std::vector<std::string> commit_ids;
  model::Axes axes;
  std::optional<std::int64_t> axes_id;  ///< Exactly these axes.
};

/// Reads and curates runs. Thread-safe.
/// Errors of every method: Unavailable when the store cannot be reached; NotFound when there is no such run; Internal when
/// what was asked for alone cannot be read (see Listed), with its name and the column.
class RunStore {
 public:
  virtual ~RunStore() = default;

  /// By UUID or a prefix of at least 4 digits; spec.monitor_notes has those of the outcome too. InvalidArgument when it is shorter, no UUID at all, or names several.
  virtual absl::StatusOr<model::Run> GetRun(std::string_view uuid_or_prefix) = 0;

  /// At most `limit` runs before `after` in the order newest first.
  virtual absl::StatusOr<std::vector<ListedRun>> ListRuns(const RunFilter& filter, std::optional<RunPosition> after,
                                                          std::int32_t limit) = 0;

  /// All run values of a run, by metric name in byte order. Empty for an open run.
  virtual absl::StatusOr<std::vector<ListedRunValue>> ListRunValues(std::int64_t run_id) = 0;

  /// Calls `take` with parts of at most some thousand samples; stops early with the error that `take` returns.
  /// NotFound names near metrics when the run has none of `metrics`.
  virtual absl::Status ReadSamples(std::int64_t run_id, std::span<const std::string> metrics, const TimeRange& range,
                                   const std::function<absl::Status(SamplePart)>& take) = 0;

  /// Counts summed over the range, the most frequent first.
  virtual absl::StatusOr<std::vector<StackCount>> ReadStacks(std::int64_t run_id, const TimeRange& range) = 0;

  /// Parts in the order of the operations.
  virtual absl::Status ReadObservations(
      std::int64_t run_id, std::string_view metric,
      const std::function<absl::Status(const model::Metric&, std::vector<double>)>& take) = 0;

  /// Takes a run out of every comparison and queues its group for judging. The first reason stays.
  virtual absl::StatusOr<ExcludeOutcome> Exclude(std::int64_t run_id, std::string_view reason,
                                                 std::string_view excluded_by) = 0;

  /// The run groups with all their run values, by one statement for the values; by axes, then commit. A group whose runs all failed is
  /// there with no runs and its counts. Open runs are not counted, incomplete ones as failed.
  virtual absl::StatusOr<std::vector<model::RunGroup>> LoadGroups(const GroupFilter& filter) = 0;
};

}  // namespace regressd::storage
