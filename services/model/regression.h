#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/model/comparison.h"

namespace regressd::model {

enum class RegressionState {
  kNew,
  kConfirmed,
  kReported,
  kAcknowledged,
  kFixed,
  kWentAway,
  kRetracted,
  kEnvironment,
  kFalsePositive,
};

/// "new", "confirmed", ..., "went_away", "false_positive".
std::string_view ToString(RegressionState state);
bool FromString(std::string_view text, RegressionState* out);

/// True for the states that a person or bot may set.
bool IsSettable(RegressionState state);

struct RegressionMetric {
  Metric metric;
  Judgement judgement;

  friend bool operator==(const RegressionMetric&, const RegressionMetric&) = default;
};

/// A judged change of one set of axes in one range of commits.
struct Regression {
  std::int64_t regression_id = 0;  ///< 0 before it is stored.
  RegressionState state = RegressionState::kNew;
  bool muted = false;
  std::string title;  ///< One sentence without a full stop.
  Axes axes;
  Commit base;  ///< Last good.
  Commit head;  ///< First bad.
  std::string headline_metric;
  std::vector<RegressionMetric> metrics;  ///< The headline first.
  MachineFacts facts;                     ///< Of the first head run.
  Time create_time;
  Time update_time;
  std::string created_by;
  std::int64_t version = 0;  ///< Rises with every change; the etag.
};

struct RegressionEvent {
  std::int64_t event_id = 0;
  std::int64_t regression_id = 0;
  RegressionState state = RegressionState::kNew;
  Time event_time;
  std::string created_by;
  std::string comment;
};

}  // namespace regressd::model
