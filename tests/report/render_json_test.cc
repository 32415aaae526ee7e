#include "services/report/render_json.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/report/block_builder.h"

namespace regressd::report {
namespace {

using nlohmann::json;

TEST(RenderJsonTest, NamesItsSchemaAndEveryValue) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {100, 101.5}, {80}, model::Verdict::kRegression);
  const json document = json::parse(RenderComparisonJson(std::vector{builder.block()}));
  EXPECT_EQ(document["schema"], "regressd.comparison/1");
  const json& row = document["blocks"][0]["rows"][0];
  EXPECT_EQ(row["metric"], "vmstat.swap.so");
  EXPECT_EQ(row["cells"][0]["values"], json({100.0, 101.5}));
  EXPECT_EQ(row["cells"][1]["judgement"]["verdict"], "regression");
  EXPECT_FALSE(row["cells"][0].contains("judgement"));
}

TEST(RenderJsonTest, LeavesOutWhatIsNoNumber) {
  BlockBuilder builder;
  builder.AddRow("vmstat.swap.so", {NAN, 1}, {std::numeric_limits<double>::infinity()});
  builder.block().rows[0].cells[0].run_index = {0, 2};
  builder.block().rows[0].cells[1].judgement->p_value = NAN;
  const std::string text = RenderComparisonJson(std::vector{builder.block()});
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("null")));
  const json cells = json::parse(text)["blocks"][0]["rows"][0]["cells"];
  EXPECT_EQ(cells[0]["values"], json({1.0}));
  EXPECT_EQ(cells[0]["run_index"], json({2}));
  EXPECT_EQ(cells[1]["values"], json::array());
  EXPECT_FALSE(cells[1]["judgement"].contains("p_value"));
}

TEST(RenderJsonTest, WritesBigIntegersAsStringsAndTimesInUtc) {
  model::Run run;
  run.spec.key = {"6c2b1e0a-0000-4000-8000-000000000001", 7};
  run.spec.facts.memory_size_bytes = 67276341248;
  // date -u -d @1764504303: 2025-11-30T12:05:03.
  run.spec.start_time = model::Time(std::chrono::microseconds(1764504303000250));
  run.sources.push_back({.source_id = 1, .name = "proc", .last_seq = 9007199254740993});
  const json entry = json::parse(RenderRunsJson(std::vector{run}))["runs"][0];
  EXPECT_EQ(entry["machine"]["memory_size_bytes"], "67276341248");
  EXPECT_EQ(entry["sources"][0]["last_seq"], "9007199254740993");
  EXPECT_EQ(entry["start_time"], "2025-11-30T12:05:03.000250Z");
}

TEST(RenderJsonTest, SurvivesNamesThatAreNotUtf8) {
  model::Regression regression;
  regression.title = "bad \xff name";
  regression.regression_id = 17;
  const json entry = json::parse(RenderRegressionsJson(std::vector{regression}))["regressions"][0];
  EXPECT_EQ(entry["title"], "bad \uFFFD name");
  EXPECT_EQ(entry["regression_id"], "17");
}

TEST(RenderJsonTest, WritesAnEventOnOneLine) {
  model::RegressionEvent event;
  event.comment = "a\nb";
  const std::string line = RenderRegressionEventJson(event, {});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(json::parse(line)["event"]["comment"], "a\nb");
}

}  // namespace
}  // namespace regressd::report
