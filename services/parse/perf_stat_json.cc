#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "services/parse/perf_stat.h"
#include "services/parse/perf_stat_fields.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

using Json = nlohmann::json;

std::string Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// perf changed some numbers to strings between versions.
std::optional<double> Number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  return found->is_string() ? ToDouble(found->get_ref<const std::string&>()) : std::nullopt;
}

std::optional<PerfAggregate> Aggregate(const Json& object) {
  constexpr std::array kKinds = {"socket", "die", "cluster", "cache",
                                 "core",   "cpu", "node",    "thread"};
  for (const char* kind : kKinds) {
    const auto found = object.find(kind);
    if (found == object.end()) continue;
    const std::optional<double> count = Number(object, "aggregate-number")
                                            ? Number(object, "aggregate-number")
                                            : Number(object, "counters");
    return PerfAggregate{
        .kind = kind,
        .id = found->is_string() ? found->get<std::string>() : found->dump(),
        .cpu_count = static_cast<int>(std::clamp(count.value_or(0), 0.0, 1e6)),
    };
  }
  return std::nullopt;
}

// Name and unit: "%  tma_backend_bound" is a share called tma_backend_bound; "insn per cycle" is a
// name without a unit.
std::pair<std::string_view, std::string_view> SplitMetricUnit(std::string_view text) {
  const std::size_t gap = text.find("  ");
  if (gap == std::string_view::npos) return {Trim(text), ""};
  return {Trim(text.substr(gap)), Trim(text.substr(0, gap))};
}

}  // namespace

const PerfStatRow* PerfStatReader::ReadJson(std::string_view line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) {
    Problem damaged = Error(line_number_, "invalid_json",
                            fmt::format("{} is no JSON object; it is left out", Quote(line)));
    // perf 6.1 prints two objects a line with --metric-only -j: there is no data in any of them.
    if (line.find("}{") == line.npos) {
      problems_.push_back(std::move(damaged));
    } else {
      RefuseSplitRow(Error(line_number_, "invalid_json",
                           fmt::format("{} is not JSON: this perf cannot do --metric-only together "
                                       "with -j; leave out one of them, or use a newer perf",
                                       Quote(line))),
                     std::move(damaged));
    }
    return nullptr;
  }
  if (std::string group = Text(object, "metricgroup"); !group.empty()) {
    groups_.push_back(std::move(group));
  }
  row_.time_s = Number(object, "interval");
  row_.event = Text(object, "event");
  const std::optional<double> metric_value = Number(object, "metric-value");
  const std::string metric_unit = Text(object, "metric-unit");
  if (row_.event.empty()) {
    if (!metric_unit.empty()) {
      const auto [name, unit] = SplitMetricUnit(metric_unit);
      PerfStatMetric& metric = AddMetric(row_.time_s, std::string(name), metric_value);
      metric.unit = std::string(unit);
      metric.threshold = Text(object, "metric-threshold");
    }
    return nullptr;
  }
  const std::string count = Text(object, "counter-value");
  if (!ReadPerfCount(count, &row_)) {
    RefuseRow("not_a_number",
              fmt::format("{} has the count {}; the row is left out", row_.event, Quote(count)));
    return nullptr;
  }
  if (count.find(',') != std::string::npos) WarnDecimalComma();
  row_.unit = Text(object, "unit");
  row_.cgroup = Text(object, "cgroup");
  row_.threshold = Text(object, "metric-threshold");
  row_.variance_percent = Number(object, "variance");
  row_.percent_running = Number(object, "pcnt-running");
  if (const std::optional<double> run = Number(object, "event-runtime")) {
    row_.run_ns = static_cast<std::int64_t>(std::clamp(*run, 0.0, 9e18));
  }
  row_.aggregate = Aggregate(object);
  // 0.000000 with an empty unit is perf's way to say that there is no metric.
  if (metric_value && !metric_unit.empty()) {
    row_.derived = PerfDerived{.value = *metric_value, .unit = metric_unit};
  }
  return Finish();
}

}  // namespace regressd::parse
