#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "services/common/convert.h"
#include "services/common/enum_table.h"
#include "services/common/field_checks.h"

namespace regressd::common {
namespace {

constexpr EnumTable<model::RegressionState, v1::RegressionState, 9> kStates{{
    {model::RegressionState::kNew, v1::REGRESSION_STATE_NEW},
    {model::RegressionState::kConfirmed, v1::REGRESSION_STATE_CONFIRMED},
    {model::RegressionState::kReported, v1::REGRESSION_STATE_REPORTED},
    {model::RegressionState::kAcknowledged, v1::REGRESSION_STATE_ACKNOWLEDGED},
    {model::RegressionState::kFixed, v1::REGRESSION_STATE_FIXED},
    {model::RegressionState::kWentAway, v1::REGRESSION_STATE_WENT_AWAY},
    {model::RegressionState::kRetracted, v1::REGRESSION_STATE_RETRACTED},
    {model::RegressionState::kEnvironment, v1::REGRESSION_STATE_ENVIRONMENT},
    {model::RegressionState::kFalsePositive, v1::REGRESSION_STATE_FALSE_POSITIVE},
}};

// Takes the value of a part, or its violations.
template <typename Value>
void Take(std::string_view field, absl::StatusOr<Value> part, FieldChecks* checks, Value* out) {
  checks->Merge(field, part.status());
  if (part.ok()) *out = *std::move(part);
}

}  // namespace

v1::RegressionState ToProto(model::RegressionState state) { return ProtoOf(kStates, state); }

absl::StatusOr<model::RegressionState> FromProto(v1::RegressionState state, std::string_view path) {
  FieldChecks checks("");
  model::RegressionState result{};
  if (!ModelOf(kStates, state, path, &checks, &result)) return checks.status();
  return result;
}

std::string EtagOf(std::int64_t version) { return fmt::format("{}", version); }

absl::StatusOr<std::int64_t> VersionOf(std::string_view etag, std::string_view path) {
  std::int64_t version = 0;
  const char* const end = etag.data() + etag.size();
  const auto [stop, error] = std::from_chars(etag.data(), end, version);
  if (error != std::errc() || stop != end || version < 0 || EtagOf(version) != etag) {
    return InvalidField(path, "is no etag of a regression; send that of the last read, or none");
  }
  return version;
}

void ToProto(const model::Regression& regression, v1::Regression* out) {
  out->set_regression_id(regression.regression_id);
  out->set_state(ToProto(regression.state));
  out->set_muted(regression.muted);
  out->set_title(regression.title);
  ToProto(regression.axes, out->mutable_axes());
  ToProto(regression.base, out->mutable_base());
  ToProto(regression.head, out->mutable_head());
  out->set_headline_metric(regression.headline_metric);
  for (const model::RegressionMetric& metric : regression.metrics) {
    v1::RegressionMetric* added = out->add_metrics();
    ToProto(metric.metric, added->mutable_metric());
    ToProto(metric.judgement, added->mutable_judgement());
  }
  ToProto(regression.create_time, out->mutable_create_time());
  ToProto(regression.update_time, out->mutable_update_time());
  out->set_created_by(regression.created_by);
  out->set_etag(EtagOf(regression.version));
  ToProto(regression.facts, out->mutable_facts());
}

absl::StatusOr<model::Regression> FromProto(const v1::Regression& regression,
                                            std::string_view path) {
  FieldChecks checks(path);
  model::Regression result;
  result.regression_id = regression.regression_id();
  ModelOf(kStates, regression.state(), "state", &checks, &result.state);
  result.muted = regression.muted();
  result.title = regression.title();
  Take("axes", FromProto(regression.axes(), checks.PathOf("axes")), &checks, &result.axes);
  Take("base", FromProto(regression.base(), checks.PathOf("base")), &checks, &result.base);
  Take("head", FromProto(regression.head(), checks.PathOf("head")), &checks, &result.head);
  result.headline_metric = regression.headline_metric();
  for (int i = 0; i < regression.metrics_size() && checks.ok(); ++i) {
    const std::string field = IndexPath("metrics", i);
    const v1::RegressionMetric& metric = regression.metrics(i);
    model::RegressionMetric& added = result.metrics.emplace_back();
    Take(field, FromProto(metric.metric(), checks.PathOf(field + ".metric")), &checks,
         &added.metric);
    Take(field, FromProto(metric.judgement(), checks.PathOf(field + ".judgement")), &checks,
         &added.judgement);
  }
  Take("create_time", FromProto(regression.create_time(), checks.PathOf("create_time")), &checks,
       &result.create_time);
  Take("update_time", FromProto(regression.update_time(), checks.PathOf("update_time")), &checks,
       &result.update_time);
  result.created_by = regression.created_by();
  Take("etag", VersionOf(regression.etag(), checks.PathOf("etag")), &checks, &result.version);
  Take("facts", FromProto(regression.facts(), checks.PathOf("facts")), &checks, &result.facts);
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::RegressionEvent& event, v1::RegressionEvent* out) {
  out->set_event_id(event.event_id);
  out->set_regression_id(event.regression_id);
  out->set_state(ToProto(event.state));
  ToProto(event.event_time, out->mutable_event_time());
  out->set_created_by(event.created_by);
  out->set_comment(event.comment);
}

absl::StatusOr<model::RegressionEvent> FromProto(const v1::RegressionEvent& event,
                                                 std::string_view path) {
  FieldChecks checks(path);
  model::RegressionEvent result;
  result.event_id = event.event_id();
  result.regression_id = event.regression_id();
  ModelOf(kStates, event.state(), "state", &checks, &result.state);
  Take("event_time", FromProto(event.event_time(), checks.PathOf("event_time")), &checks,
       &result.event_time);
  result.created_by = event.created_by();
  result.comment = event.comment();
  if (!checks.ok()) return checks.status();
  return result;
}

}  // namespace regressd::common
