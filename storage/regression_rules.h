#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "services/model/regression.h"

namespace regressd::storage {

/// Name of the worker in created_by.
inline constexpr char kWorkerName[] = "detector";

/// Runs that the smaller side needs before the worker calls a regression confirmed.
inline constexpr std::int32_t kConfirmingRunCount = 3;

/// What the worker writes beside an event.
inline constexpr char kNoLongerFound[] = "no longer found";
inline constexpr char kOtherBase[] = "its head is compared with another base now";

/// How long a group waits after its judging failed for the `attempts`-th time: 1 s, 2 s, 4 s, ...
/// at most 5 min.
std::chrono::seconds RetryDelay(std::int32_t attempts);

/// Errors: InvalidArgument when nobody may set `state`, or a text cannot be stored.
absl::Status CheckStateChange(model::RegressionState state, std::string_view comment,
                              std::string_view changed_by);

/// Errors: Aborted when `expected` is set and not the version of `regression`.
absl::Status CheckVersion(const model::Regression& regression,
                          std::optional<std::int64_t> expected);

/// A regression as it is stored when the worker comes back to its commits.
struct KnownRegression {
  model::Regression regression;
  bool state_by_person = false;  ///< Its state is final for the worker.
};

/// What the worker's finding does to a regression.
struct DetectionEffect {
  bool changed = false;  ///< Something is to be written, and the version rises.
  bool visible = false;  ///< Somebody who watches wants to know: an event.
  model::RegressionState state = model::RegressionState::kNew;  ///< Afterwards.
};

/// Of a finding. Visible are: a new regression, another state, another headline, a metric more or
/// less, another verdict, and a headline whose change moved by more than a percentage point plus a
/// tenth of what it was. Pure. `known` is null when there is none between these commits yet.
DetectionEffect EffectOfFinding(const KnownRegression* known, const model::Regression& found);

/// Of finding nothing (more): what the worker holds open becomes retracted, what a person decided
/// stays. Pure.
DetectionEffect EffectOfNothing(const KnownRegression& known);

}  // namespace regressd::storage
