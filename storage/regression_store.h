#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/regression.h"
#include "storage/listed.h"

namespace regressd::storage {

struct RegressionFilter {
  std::vector<model::RegressionState> states;  ///< Empty: all.
  model::Axes axes;                            ///< Only with all of these.
  std::optional<std::string> head_commit_id;
};

struct RegressionPosition {
  model::Time create_time;
  std::int64_t regression_id = 0;
};

struct RegressionWithEvents {
  model::Regression regression;
  std::vector<model::RegressionEvent> events;  ///< Oldest first.
};

/// What a watcher hears: an event and the regression as it stands when it is asked for, with the headline metric alone.
struct RegressionChange {
  model::RegressionEvent event;
  model::Regression regression;
};

using ListedRegression = Listed<model::Regression, RegressionPosition>;
/// Its position is the event's id.
using ListedChange = Listed<RegressionChange, std::int64_t>;

/// A run group whose runs changed since it was judged last.
struct DueGroup {
  std::int64_t axes_id = 0;
  std::string commit_id;
};

/// One comparison that the worker made of a due group. A head has one base: what the worker found of it against another
/// one before becomes retracted as well.
struct Detection {
  std::int64_t axes_id = 0;
  std::string base_commit_id;
  std::string head_commit_id;
  /// Unset: nothing (more) is found between these commits; an open regression of the worker's becomes retracted.
  std::optional<model::Regression> regression;
};

/// Keeps regressions and the queue of groups to judge. Thread-safe.
/// Errors of every method: Unavailable when the store cannot be reached; NotFound when there is no such regression; Internal
/// when what was asked for alone cannot be read (see Listed), with its name and the column.
class RegressionStore {
 public:
  virtual ~RegressionStore() = default;

  /// At most `limit` before `after`, newest first, each with its headline metric alone.
  virtual absl::StatusOr<std::vector<ListedRegression>> ListRegressions(const RegressionFilter& filter,
                                                                        std::optional<RegressionPosition> after,
                                                                        std::int32_t limit) = 0;

  virtual absl::StatusOr<RegressionWithEvents> GetRegression(std::int64_t regression_id) = 0;

  /// Sets a settable state for a person or bot; final for the worker.
  /// Errors: Aborted when `expected_version` is set and not the current one.
  virtual absl::StatusOr<model::Regression> SetState(std::int64_t regression_id, model::RegressionState state,
                                                     std::string_view comment, std::string_view changed_by,
                                                     std::optional<std::int64_t> expected_version) = 0;

  /// The last event there is, 0 when there is none.
  virtual absl::StatusOr<std::int64_t> LastEventId() = 0;

  /// At most `limit` events after `event_id`, in order.
  virtual absl::StatusOr<std::vector<ListedChange>> ListChanges(std::int64_t event_id, std::int32_t limit) = 0;

  /// Claims one due group that no other worker holds, calls `judge` with it and stores its detections, all in one
  /// transaction: killed half-way, nothing happened. False when nothing is due.
  /// When `judge` fails, the group is put back with a growing delay and the error kept beside it; the error is returned.
  virtual absl::StatusOr<bool> ProcessOneDue(
      const std::function<absl::StatusOr<std::vector<Detection>>(const DueGroup&)>& judge) = 0;

  /// Groups waiting.
  virtual absl::StatusOr<std::int64_t> CountDue() = 0;

  struct GroupPair {
    std::string base_commit_id;
    std::string head_commit_id;
  };
  /// The comparisons that concern a group: with its base, and of each group whose base it is. The base of a patch is its
  /// base commit; of a commit the nearest first-parent ancestor with a group of the same axes; of a commit with unknown
  /// parents the group of the same axes that arrived before it.
  /// What a group was compared with last, by the detections stored of it, is its remembered base: a pair that lost a side
  /// comes back as remembered, so that what was found between them is retracted. Changes nothing.
  virtual absl::StatusOr<std::vector<GroupPair>> PairsOf(const DueGroup& group) = 0;
};

}  // namespace regressd::storage
