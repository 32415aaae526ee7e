#include <gtest/gtest.h>

#include <map>
#include <set>

#include "services/parse/proc_key_value.h"
#include "tests/parse/corpus_case.h"
#include "tests/support/shared_data.h"

namespace regressd::parse {
namespace {

using nlohmann::json;

using Values = std::map<std::string, ProcVmstatValue, std::less<>>;

Values ByName(const std::vector<ProcVmstatValue>& values) {
  Values result;
  for (const ProcVmstatValue& value : values) result.emplace(value.name, value);
  return result;
}

std::uint64_t Unsigned(const json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}

void ExpectValues(const json& expected, const Values& values) {
  for (const auto& [name, value] : expected.items()) {
    ASSERT_TRUE(values.contains(name)) << name;
    EXPECT_EQ(values.at(name).value, Unsigned(value)) << name;
  }
}

void ExpectKinds(const json& expected, const Values& values) {
  for (const auto& [name, kind] : expected.items()) {
    ASSERT_TRUE(values.contains(name)) << name;
    EXPECT_EQ(ToString(values.at(name).kind), kind.get<std::string>()) << name;
  }
}

void ExpectBelowZero(const json& expected, const Values& values) {
  for (const auto& [name, value] : expected.items()) {
    ASSERT_TRUE(values.contains(name)) << name;
    EXPECT_EQ(values.at(name).below_zero, value.get<std::int64_t>()) << name;
    EXPECT_EQ(values.at(name).value, 0U) << name;
  }
}

// Counters rise by the expected amount; everything else of the pair is a gauge and stands at its
// last value.
void ExpectPair(CorpusCase* corpus_case, const Values& before, const Values& after) {
  const json& deltas = corpus_case->Take("delta");
  for (const auto& [name, delta] : deltas.items()) {
    EXPECT_EQ(after.at(name).kind, model::MetricKind::kCounter) << name;
    EXPECT_EQ(after.at(name).value - before.at(name).value, Unsigned(delta)) << name;
  }
  const json& gauges = corpus_case->Take("gauge");
  ExpectValues(gauges, after);
  for (const auto& [name, value] : gauges.items()) {
    EXPECT_EQ(after.at(name).kind, model::MetricKind::kGauge) << name;
  }
}

void ExpectNames(CorpusCase* corpus_case, const Values& base, const Values& head) {
  std::set<std::string> common, only_base, only_head;
  for (const auto& [name, value] : base) (head.contains(name) ? common : only_base).insert(name);
  for (const auto& [name, value] : head) {
    if (!base.contains(name)) only_head.insert(name);
  }
  EXPECT_EQ(json(common), corpus_case->Take("common"));
  EXPECT_EQ(json(only_base), corpus_case->Take("only_base"));
  EXPECT_EQ(json(only_head), corpus_case->Take("only_head"));
}

TEST(ProcVmstatCorpusTest, ReadsEveryCaseAsTheCorpusSays) {
  std::vector<CorpusCase> cases = CorpusCases("procvmstat");
  if (cases.empty()) GTEST_SKIP() << support::NoSharedData("corpus");
  EXPECT_EQ(cases.size(), 8U);
  for (CorpusCase& corpus_case : cases) {
    SCOPED_TRACE(corpus_case.name());
    // Rates, bytes, the sums of renamed families and what becomes of the run are no parser's work.
    for (const char* key : {"options", "rate_per_s", "bytes", "canonical", "never", "run_state"}) {
      corpus_case.Take(key);
    }
    corpus_case.Take("gauge_raw");  // How gauge_signed was printed.

    const bool two_machines = corpus_case.Has("only_base");
    ProcVmstatReader reader;
    std::vector<Values> snapshots;
    std::size_t record_count = 0;
    std::vector<ProcVmstatValue> values;
    Problems problems;
    for (const std::string& input : corpus_case.inputs()) {
      if (two_machines) reader = ProcVmstatReader();
      reader.Read(input, &values);
      record_count += values.size();
      snapshots.push_back(ByName(values));
      for (Problem& problem : reader.TakeProblems()) problems.push_back(std::move(problem));
    }
    corpus_case.ExpectProblems(problems, record_count);
    ExpectValues(corpus_case.Take("values"), snapshots.back());
    ExpectValues(corpus_case.Take("counter"), snapshots.back());
    ExpectKinds(corpus_case.Take("class"), snapshots.back());
    ExpectBelowZero(corpus_case.Take("gauge_signed"), snapshots.back());
    if (two_machines) {
      ExpectNames(&corpus_case, snapshots.front(), snapshots.back());
    } else {
      ExpectPair(&corpus_case, snapshots.front(), snapshots.back());
    }
    corpus_case.ExpectAllTaken();
  }
}

}  // namespace
}  // namespace regressd::parse
