#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "services/common/convert.h"
#include "services/common/enum_table.h"
#include "services/common/field_checks.h"
#include "services/model/catalog.h"

namespace regressd::common {
namespace {

// The proto's own limits, and those of PostgreSQL's indexes: the canonical text of axes is a unique
// key.
constexpr std::size_t kMaxKeyBytes = 128;
constexpr std::size_t kMaxValueBytes = 1024;
constexpr std::size_t kMaxCanonicalBytes = 2048;
constexpr std::size_t kMaxMetricNameBytes = 512;
constexpr std::size_t kMaxUnitBytes = 64;
constexpr std::size_t kMaxSourceNameBytes = 128;
constexpr int kMaxAxes = 64;
constexpr int kMaxMetrics = 8192;

constexpr EnumTable<model::MetricKind, v1::MetricKind, 4> kKinds{{
    {model::MetricKind::kGauge, v1::METRIC_KIND_GAUGE},
    {model::MetricKind::kCounter, v1::METRIC_KIND_COUNTER},
    {model::MetricKind::kDelta, v1::METRIC_KIND_DELTA},
    {model::MetricKind::kRatio, v1::METRIC_KIND_RATIO},
}};
constexpr EnumTable<model::Better, v1::Better, 3> kBetters{{
    {model::Better::kHigher, v1::BETTER_HIGHER},
    {model::Better::kLower, v1::BETTER_LOWER},
    {model::Better::kNeither, v1::BETTER_NEITHER},
}};
constexpr EnumTable<model::Reduction, v1::Reduction, 4> kReductions{{
    {model::Reduction::kMean, v1::REDUCTION_MEAN},
    {model::Reduction::kDelta, v1::REDUCTION_DELTA},
    {model::Reduction::kSum, v1::REDUCTION_SUM},
    {model::Reduction::kMax, v1::REDUCTION_MAX},
}};
constexpr EnumTable<model::SourceContent, v1::SourceContent, 4> kContents{{
    {model::SourceContent::kIntSamples, v1::SOURCE_CONTENT_INT_SAMPLES},
    {model::SourceContent::kDoubleSamples, v1::SOURCE_CONTENT_DOUBLE_SAMPLES},
    {model::SourceContent::kStacks, v1::SOURCE_CONTENT_STACKS},
    {model::SourceContent::kObservations, v1::SOURCE_CONTENT_OBSERVATIONS},
}};

model::Reduction DefaultReduction(model::MetricKind kind) {
  switch (kind) {
    case model::MetricKind::kCounter:
      return model::Reduction::kDelta;
    case model::MetricKind::kDelta:
      return model::Reduction::kSum;
    default:
      return model::Reduction::kMean;
  }
}

void CheckSource(const v1::Source& proto, const model::Source& source, FieldChecks* checks) {
  std::set<std::string_view> names;
  for (int i = 0; i < proto.metrics_size(); ++i) {
    const std::string field = IndexPath("metrics", i);
    if (!names.insert(proto.metrics(i).name()).second) {
      checks->Fail(field, fmt::format("repeats the name {}; a source has each metric once",
                                      proto.metrics(i).name()));
    }
    const double scale = proto.metrics(i).scale();
    if (source.content != model::SourceContent::kIntSamples && scale != 0 && scale != 1) {
      checks->Fail(field + ".scale",
                   fmt::format("is {}; must be 1 unless content is INT_SAMPLES", scale));
    }
  }
  if (source.content == model::SourceContent::kStacks && proto.metrics_size() != 1) {
    checks->Fail("metrics", "must be one metric that names the event, since content is STACKS");
  }
}

}  // namespace

void ToProto(const model::Axes& axes, AxisList* out) {
  for (const model::Axis& axis : axes.list()) {
    v1::Axis* added = out->Add();
    added->set_key(axis.key);
    added->set_value(axis.value);
  }
}

absl::StatusOr<model::Axes> FromProto(const AxisList& axes, std::string_view path) {
  FieldChecks checks("");
  const std::string list(path);
  checks.Count(list, axes.size(), kMaxAxes);
  model::Axes result;
  for (int i = 0; i < axes.size() && checks.ok(); ++i) {
    const std::string field = IndexPath(list, i);
    checks.Name(field + ".key", axes[i].key(), kMaxKeyBytes);
    checks.Line(field + ".value", axes[i].value(), kMaxValueBytes);
    if (result.Find(axes[i].key())) {
      checks.Fail(field + ".key", fmt::format("repeats {}; give each axis once", axes[i].key()));
    }
    result.Set(axes[i].key(), axes[i].value());
  }
  if (checks.ok() && result.Canonical().size() > kMaxCanonicalBytes) {
    checks.Fail(list, fmt::format("have {} bytes together; at most {} are taken",
                                  result.Canonical().size(), kMaxCanonicalBytes));
  }
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::Metric& metric, v1::Metric* out) {
  out->set_name(metric.name);
  out->set_unit(metric.unit);
  out->set_kind(ProtoOf(kKinds, metric.kind));
  out->set_better(ProtoOf(kBetters, metric.better));
  out->set_reduction(ProtoOf(kReductions, metric.reduction));
  out->set_scale(metric.scale);
}

absl::StatusOr<model::Metric> FromProto(const v1::Metric& metric, std::string_view path) {
  FieldChecks checks(path);
  checks.Name("name", metric.name(), kMaxMetricNameBytes);
  checks.Line("unit", metric.unit(), kMaxUnitBytes);
  model::Metric result;
  result.name = metric.name();
  result.unit = metric.unit();
  ModelOf(kKinds, metric.kind(), "kind", &checks, &result.kind);
  result.reduction = DefaultReduction(result.kind);
  if (metric.better() == v1::BETTER_UNSPECIFIED) {
    result.better = model::Lookup(metric.name()).better;
  } else {
    ModelOf(kBetters, metric.better(), "better", &checks, &result.better);
  }
  if (metric.reduction() != v1::REDUCTION_UNSPECIFIED) {
    ModelOf(kReductions, metric.reduction(), "reduction", &checks, &result.reduction);
  }
  if (metric.scale() != 0) result.scale = metric.scale();
  checks.Finite("scale", result.scale);
  if (result.scale < 0) checks.Fail("scale", "is negative; must be above 0, or 0 for 1");
  if (!checks.ok()) return checks.status();
  return result;
}

void ToProto(const model::Source& source, v1::Source* out) {
  out->set_source_id(source.source_id);
  out->set_name(source.name);
  out->set_content(ProtoOf(kContents, source.content));
  for (const model::Metric& metric : source.metrics) ToProto(metric, out->add_metrics());
  out->set_period_us(source.period_us);
}

absl::StatusOr<model::Source> FromProto(const v1::Source& source, std::string_view path) {
  FieldChecks checks(path);
  checks.Range("source_id", source.source_id(), 1, 1000);
  checks.Name("name", source.name(), kMaxSourceNameBytes);
  checks.Count("metrics", source.metrics_size(), kMaxMetrics);
  if (source.period_us() < 0) checks.Fail("period_us", "is negative; 0 says that there is none");
  model::Source result;
  result.source_id = source.source_id();
  result.name = source.name();
  result.period_us = source.period_us();
  if (ModelOf(kContents, source.content(), "content", &checks, &result.content)) {
    CheckSource(source, result, &checks);
  }
  for (int i = 0; i < source.metrics_size() && checks.ok(); ++i) {
    const std::string field = IndexPath("metrics", i);
    auto metric = FromProto(source.metrics(i), checks.PathOf(field));
    checks.Merge(field, metric.status());
    if (metric.ok()) result.metrics.push_back(*std::move(metric));
  }
  if (!checks.ok()) return checks.status();
  return result;
}

}  // namespace regressd::common
