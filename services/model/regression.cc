#include "services/model/regression.h"

#include "services/model/names.h"

namespace regressd::model {
namespace {

constexpr Names<RegressionState, 9> kStates{{
    {RegressionState::kNew, "new"},
    {RegressionState::kConfirmed, "confirmed"},
    {RegressionState::kReported, "reported"},
    {RegressionState::kAcknowledged, "acknowledged"},
    {RegressionState::kFixed, "fixed"},
    {RegressionState::kWentAway, "went_away"},
    {RegressionState::kRetracted, "retracted"},
    {RegressionState::kEnvironment, "environment"},
    {RegressionState::kFalsePositive, "false_positive"},
}};

}  // namespace

std::string_view ToString(RegressionState state) { return NameOf(kStates, state); }
bool FromString(std::string_view text, RegressionState* out) {
  return ValueOf(kStates, text, out);
}

bool IsSettable(RegressionState state) {
  switch (state) {
    case RegressionState::kConfirmed:
    case RegressionState::kAcknowledged:
    case RegressionState::kFixed:
    case RegressionState::kEnvironment:
    case RegressionState::kFalsePositive:
      return true;
    default:
      return false;
  }
}

}  // namespace regressd::model
