#include "storage/regression_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "storage/storable_text.h"

namespace regressd::storage {
namespace {

using model::RegressionState;

RegressionState StateByRuns(const model::Regression& found) {
  if (found.metrics.empty()) return RegressionState::kNew;
  const model::Judgement& headline = found.metrics.front().judgement;
  return std::min(headline.base.run_count, headline.head.run_count) < kConfirmingRunCount
             ? RegressionState::kNew
             : RegressionState::kConfirmed;
}

RegressionState StateOfFinding(const KnownRegression* known, const model::Regression& found) {
  if (known == nullptr) return StateByRuns(found);
  const RegressionState state = known->regression.state;
  const bool worker_decides = state == RegressionState::kNew ||
                              state == RegressionState::kConfirmed ||
                              state == RegressionState::kRetracted;
  return known->state_by_person || !worker_decides ? state : StateByRuns(found);
}

std::vector<std::pair<std::string_view, model::Verdict>> Verdicts(const model::Regression& r) {
  std::vector<std::pair<std::string_view, model::Verdict>> verdicts;
  for (const model::RegressionMetric& m : r.metrics) {
    verdicts.emplace_back(m.metric.name, m.judgement.verdict);
  }
  std::sort(verdicts.begin(), verdicts.end());
  return verdicts;
}

bool Moved(double before, double after, double slack) {
  return std::abs(after - before) > slack + 0.1 * std::abs(before);
}

bool HeadlineMoved(const model::Regression& known, const model::Regression& found) {
  if (known.metrics.empty() || found.metrics.empty()) return false;
  const model::Judgement& before = known.metrics.front().judgement;
  const model::Judgement& after = found.metrics.front().judgement;
  if (before.relative_change.has_value() != after.relative_change.has_value()) return true;
  if (before.relative_change) return Moved(*before.relative_change, *after.relative_change, 0.01);
  return Moved(before.absolute_change, after.absolute_change, 0);
}

}  // namespace

std::chrono::seconds RetryDelay(std::int32_t attempts) {
  constexpr std::chrono::seconds kLongest{300};
  if (attempts > 9) return kLongest;
  return std::min(kLongest, std::chrono::seconds{1} * (1 << std::max(attempts - 1, 0)));
}

absl::Status CheckStateChange(RegressionState state, std::string_view comment,
                              std::string_view changed_by) {
  if (!model::IsSettable(state)) {
    return absl::InvalidArgumentError(
        fmt::format("state {} is set by the worker alone; set confirmed, acknowledged, fixed, "
                    "environment or false_positive",
                    model::ToString(state)));
  }
  if (auto status = CheckStorable("comment", comment); !status.ok()) return status;
  return CheckStorable("changed by", changed_by);
}

absl::Status CheckVersion(const model::Regression& regression,
                          std::optional<std::int64_t> expected) {
  if (!expected || *expected == regression.version) return absl::OkStatus();
  return absl::AbortedError(fmt::format("regression {} is at version {}, not {}; read it again",
                                        regression.regression_id, regression.version, *expected));
}

DetectionEffect EffectOfFinding(const KnownRegression* known, const model::Regression& found) {
  DetectionEffect effect{.state = StateOfFinding(known, found)};
  if (known == nullptr) {
    effect.changed = effect.visible = true;
    return effect;
  }
  const model::Regression& before = known->regression;
  effect.visible = effect.state != before.state ||
                   found.headline_metric != before.headline_metric ||
                   Verdicts(found) != Verdicts(before) || HeadlineMoved(before, found);
  effect.changed = effect.visible || found.title != before.title ||
                   found.metrics != before.metrics || found.facts != before.facts;
  return effect;
}

DetectionEffect EffectOfNothing(const KnownRegression& known) {
  const RegressionState state = known.regression.state;
  const bool open = state == RegressionState::kNew || state == RegressionState::kConfirmed ||
                    state == RegressionState::kReported;
  if (known.state_by_person || !open) return {.state = state};
  return {.changed = true, .visible = true, .state = RegressionState::kRetracted};
}

}  // namespace regressd::storage
