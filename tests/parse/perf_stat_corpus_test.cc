#include <gtest/gtest.h>

#include <map>

#include "services/parse/perf_stat.h"
#include "tests/parse/corpus_case.h"
#include "tests/support/shared_data.h"

namespace regressd::parse {
namespace {

using nlohmann::json;

void ExpectAggregate(const json& expected, const std::optional<PerfAggregate>& aggregate) {
  ASSERT_TRUE(aggregate.has_value());
  EXPECT_EQ(aggregate->kind, expected.at("kind").get<std::string>());
  EXPECT_EQ(aggregate->id, expected.at("id").get<std::string>());
  EXPECT_EQ(aggregate->cpu_count, expected.value("cpus", 0));
}

void ExpectDerived(const json& expected, const std::optional<PerfDerived>& derived) {
  ASSERT_EQ(derived.has_value(), !expected.is_null());
  if (!derived) return;
  ExpectNumber(expected.at("value"), derived->value, "metric");
  EXPECT_EQ(derived->unit, expected.at("unit").get<std::string>());
}

void ExpectRow(const json& expected, const PerfStatRow& row) {
  SCOPED_TRACE(expected.dump());
  EXPECT_EQ(row.event, expected.at("event").get<std::string>());
  EXPECT_EQ(ToString(row.status), expected.at("status").get<std::string>());
  EXPECT_EQ(row.unit, expected.at("unit").get<std::string>());
  ExpectNumber(expected.at("value"), row.value, "value");
  const std::optional<double> run_ns =
      row.run_ns ? std::optional(static_cast<double>(*row.run_ns)) : std::nullopt;
  ExpectNumber(expected.at("run_ns"), run_ns, "run_ns");
  ExpectNumber(expected.at("pct_running"), row.percent_running, "pct_running");
  ExpectNumber(expected.value("time", json()), row.time_s, "time");
  ExpectNumber(expected.value("variance_pct", json()), row.variance_percent, "variance_pct");
  ExpectDerived(expected.at("metric"), row.derived);
  EXPECT_EQ(row.cgroup, expected.value("cgroup", ""));
  EXPECT_EQ(row.multiplexed(), expected.value("multiplexed", false));
  EXPECT_EQ(row.threshold, expected.value("threshold", ""));
  if (expected.contains("agg")) {
    ExpectAggregate(expected.at("agg"), row.aggregate);
  } else {
    EXPECT_FALSE(row.aggregate.has_value());
  }
}

void ExpectRows(const json& expected, const std::vector<PerfStatRow>& rows) {
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) ExpectRow(expected[i], rows[i]);
}

void ExpectMetrics(const json& expected, const std::vector<PerfStatMetric>& metrics) {
  std::size_t next = 0;
  for (const json& entry : expected) {
    if (entry.contains("name")) {
      const PerfStatMetric& metric = metrics.at(next++);
      EXPECT_EQ(metric.name, entry.at("name").get<std::string>());
      EXPECT_EQ(metric.unit, entry.at("unit").get<std::string>());
      EXPECT_EQ(metric.threshold, entry.at("threshold").get<std::string>());
      ExpectNumber(entry.at("value"), metric.value, metric.name);
      ExpectNumber(entry.at("time"), metric.time_s, "time");
      continue;
    }
    // One row of --metric-only: a time and a value for each name.
    std::map<std::string, std::optional<double>> row;
    for (std::size_t i = 1; i < entry.size(); ++i) {
      const PerfStatMetric& metric = metrics.at(next++);
      row[metric.name] = metric.value;
      row["time"] = metric.time_s;
    }
    for (const auto& [name, value] : entry.items()) {
      ASSERT_TRUE(row.contains(name)) << name;
      ExpectNumber(value, row.at(name), name);
    }
  }
  EXPECT_EQ(next, metrics.size());
}

TEST(PerfStatCorpusTest, ReadsEveryCaseAsTheCorpusSays) {
  std::vector<CorpusCase> cases = CorpusCases("perf-stat");
  if (cases.empty()) GTEST_SKIP() << support::NoSharedData("corpus");
  EXPECT_EQ(cases.size(), 13U);
  for (CorpusCase& corpus_case : cases) {
    SCOPED_TRACE(corpus_case.name());
    // The separator of the options is not handed over: it is found in the text.
    corpus_case.Take("options");
    const PerfStatText text = ParsePerfStat(corpus_case.inputs()[0]);
    corpus_case.ExpectProblems(text.problems, text.rows.size() + text.metrics.size());
    ExpectRows(corpus_case.Take("rows"), text.rows);
    ExpectRows(corpus_case.Take("summary"), text.summary);
    ExpectMetrics(corpus_case.Take("metrics"), text.metrics);
    if (corpus_case.Has("groups")) {
      EXPECT_EQ(json(text.groups), corpus_case.Take("groups"));
    }
    corpus_case.ExpectAllTaken();
  }
}

TEST(PerfStatCorpusTest, ReadsTheRecordedRunWhole) {
  const std::optional<std::string> recorded = Recorded("perf-stat-I1000.csv");
  if (!recorded) GTEST_SKIP() << support::NoSharedData("corpus");
  const PerfStatText text = ParsePerfStat(*recorded);
  EXPECT_TRUE(text.problems.empty());
  ASSERT_EQ(text.rows.size(), 40U * 124U);  // By the recording's README.
  EXPECT_EQ(text.started_on, "Mon Nov 30 17:30:53 2026");
  double major_faults = 0;
  for (const PerfStatRow& row : text.rows) {
    ASSERT_TRUE(row.value.has_value()) << row.line;
    if (row.event == "major-faults") major_faults += *row.value;
  }
  // awk -F, '$4=="major-faults"{s+=$2}END{print s}' perf-stat-I1000.csv
  EXPECT_EQ(major_faults, 343416);
}

}  // namespace
}  // namespace regressd::parse
