#include "services/detect/find_regression.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/model/catalog.h"

namespace regressd::detect {
namespace {

using model::Verdict;

model::Row Row(const std::string& name, Verdict verdict, std::optional<double> relative_change,
               double min_relative_change = 0.02) {
  model::Judgement judgement;
  judgement.verdict = verdict;
  judgement.relative_change = relative_change;
  judgement.min_relative_change = min_relative_change;
  model::Row row{.metric = model::Declare(name), .cells = std::vector<model::Cell>(2)};
  row.cells[1].judgement = judgement;
  return row;
}

model::ComparisonBlock Block(const std::vector<model::Row>& rows) {
  model::ComparisonBlock block;
  block.axes.Set("testcase", "vm-scalability");
  block.columns.resize(2);
  block.columns[0].commit.commit_id = "base";
  block.columns[1].commit.commit_id = "head";
  block.columns[1].facts.testbox = "box-1";
  block.rows = rows;
  return block;
}

std::vector<std::string> NamesOf(const model::Regression& regression) {
  std::vector<std::string> names;
  for (const auto& metric : regression.metrics) names.push_back(metric.metric.name);
  return names;
}

TEST(FindRegressionTest, OpensOneForARegressedHeadlineWithAllThatChanged) {
  const auto regression = FindRegression(Block({
      Row("proc-vmstat.allocstall_normal", Verdict::kRegression, 9.0, 0.05),
      Row("proc-vmstat.pswpout", Verdict::kChanged, 3.0, 0.05),
      Row("proc-vmstat.pswpin", Verdict::kChanged, -0.5, 0.05),
      Row("vm-scalability.median", Verdict::kRegression, -0.05, 0.01),
      Row("vm-scalability.throughput", Verdict::kRegression, -0.098, 0.01),
      Row("vmstat.system.cs", Verdict::kUnchanged, 0.001),
      Row("vmstat.system.in", Verdict::kInconclusive, 0.5),
      Row("vm-scalability.scalability", Verdict::kImprovement, 0.2, 0.01),
  }));
  ASSERT_TRUE(regression.has_value());
  // The larger of the two headlines, though a monitor changed more; then by kind and severity.
  EXPECT_EQ(NamesOf(*regression),
            (std::vector<std::string>{"vm-scalability.throughput", "proc-vmstat.allocstall_normal",
                                      "vm-scalability.median", "vm-scalability.scalability",
                                      "proc-vmstat.pswpout", "proc-vmstat.pswpin"}));
  EXPECT_EQ(regression->headline_metric, "vm-scalability.throughput");
  EXPECT_EQ(regression->title, "-9.8% regression of vm-scalability.throughput");
  EXPECT_EQ(regression->base.commit_id, "base");
  EXPECT_EQ(regression->head.commit_id, "head");
  EXPECT_EQ(regression->facts.testbox, "box-1");
  EXPECT_EQ(regression->axes.Find("testcase"), "vm-scalability");
}

TEST(FindRegressionTest, TakesAMonitorWhenNoHeadlineRegressed) {
  const auto regression = FindRegression(Block({
      Row("proc-vmstat.allocstall_normal", Verdict::kRegression, 9.0, 0.05),
      Row("pressure.memory.full.total", Verdict::kRegression, std::nullopt, 0.05),
      Row("vm-scalability.throughput", Verdict::kImprovement, 0.5, 0.01),
  }));
  ASSERT_TRUE(regression.has_value());
  EXPECT_EQ(regression->headline_metric, "proc-vmstat.allocstall_normal");
  EXPECT_EQ(regression->metrics.back().metric.name, "vm-scalability.throughput");
}

TEST(FindRegressionTest, OpensNoneForImprovementsAndChangesAlone) {
  EXPECT_FALSE(
      FindRegression(Block({
                         Row("vm-scalability.throughput", Verdict::kImprovement, 0.5, 0.01),
                         Row("proc-vmstat.pswpout", Verdict::kChanged, 3.0),
                         Row("proc-vmstat.pgfault", Verdict::kInconclusive, 3.0),
                     }))
          .has_value());
  EXPECT_FALSE(FindRegression(Block({})).has_value());
  EXPECT_FALSE(FindRegression({}).has_value());
}

}  // namespace
}  // namespace regressd::detect
