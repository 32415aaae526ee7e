#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/ctl/render_regression.h"
#include "services/ctl/render_run.h"

namespace regressd::ctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RegressionHistory Example() {
  RegressionHistory history;
  history.regression.regression_id = 17;
  history.regression.base.commit_id = "base";
  history.regression.head.commit_id = "head";
  model::RegressionMetric& metric = history.regression.metrics.emplace_back();
  metric.metric.name = "fault.ops";
  metric.judgement.base = {.run_count = 5, .mean = 100, .sample_stddev = 1};
  metric.judgement.head = {.run_count = 5, .mean = 90, .sample_stddev = 1};
  metric.judgement.relative_change = -0.1;
  metric.judgement.verdict = model::Verdict::kRegression;
  return history;
}

TEST(RegressionTextTest, LeavesNoSeparatorBehindWhereAPartIsNotKnown) {
  RegressionHistory history = Example();
  EXPECT_THAT(RegressionText(history), Not(HasSubstr("on: ")));
  history.regression.facts.testbox = "box";
  EXPECT_THAT(RegressionText(history), HasSubstr("\non:    box\n"));
  history.regression.facts.kernel_release = "6.12.0";
  EXPECT_THAT(RegressionText(history), HasSubstr("\non:    box, 6.12.0\n"));
  // No unit, no reason.
  EXPECT_THAT(RegressionText(history), HasSubstr("(5 runs): -10.0 %, regression\n"));
}

TEST(RunTextTest, ShowsTheCommandSoThatItCanBePasted) {
  model::Run run;
  run.spec.command = {"./run it", "--size=8g", "\u202e"};
  EXPECT_THAT(RunText(run), HasSubstr("'./run it' --size=8g $'\\342\\200\\256'\n"));
}

TEST(RunTextTest, ShowsNothingOfAKernelThatIsNotKnown) {
  EXPECT_THAT(RunText(model::Run()), Not(HasSubstr("kernel:")));
}

}  // namespace
}  // namespace regressd::ctl
