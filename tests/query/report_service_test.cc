#include <gmock/gmock.h>

#include "tests/query/query_fixture.h"

namespace regressd::test {
namespace {

using testing::HasSubstr;

class ReportServiceTest : public QueryTest {
 protected:
  grpc::Status Render(std::int64_t regression_id, v1::RenderReportResponse* response) {
    grpc::ClientContext context;
    v1::RenderReportRequest request;
    request.set_regression_id(regression_id);
    return reports_->RenderReport(&context, request, response);
  }
};

TEST_F(ReportServiceTest, TheMailShowsTheTableOfTheRegressionsOwnAxes) {
  AddGroup("base", 1, {100, 100, 100});
  AddGroup("head", 11, {90, 90, 90});
  // More axes than the regression's: they contain them, and have other numbers.
  model::Axes more = RunDraft().axes;
  more.Set("nr_task", "8");
  AddGroup("base", 21, {7000, 7000}, more);
  AddGroup("head", 31, {7000, 7000}, more);
  v1::RenderReportResponse response;
  ASSERT_TRUE(Render(AddRegression("base", "head"), &response).ok());
  EXPECT_THAT(response.body(), HasSubstr("vm-scalability.throughput"));
  EXPECT_THAT(response.body(), HasSubstr("-10.0%"));
  EXPECT_THAT(response.body(), testing::Not(HasSubstr("7000")));
  EXPECT_THAT(response.rfc5322(), HasSubstr(response.message_id()));
  EXPECT_THAT(response.rfc5322(), HasSubstr(response.body().substr(0, 40)));
}

TEST_F(ReportServiceTest, TheMailSaysWhatTheHeadRanToReproduceIt) {
  AddGroup("base", 1, {100, 100});
  AddRun({.number = 11, .commit_id = "head", .command = {"./case-swap-w-seq", "of 8"}});
  v1::RenderReportResponse response;
  ASSERT_TRUE(Render(AddRegression("base", "head"), &response).ok());
  EXPECT_THAT(response.body(), HasSubstr("-- ./case-swap-w-seq 'of 8'"));
}

TEST_F(ReportServiceTest, TheMailHasTheHeadsJobWhenItHasOne) {
  AddGroup("base", 1, {100, 100});
  AddRun({.number = 11, .commit_id = "head", .command = {"./x"}, .job_toml = "testcase = \"t\"\n"});
  v1::RenderReportResponse response;
  ASSERT_TRUE(Render(AddRegression("base", "head"), &response).ok());
  EXPECT_THAT(response.body(), HasSubstr("\ttestcase = \"t\"\n"));
}

TEST_F(ReportServiceTest, TheMailHasTheBasesJobWhereItIsAnother) {
  AddRun({.number = 1, .commit_id = "base", .command = {"./x"}, .job_toml = "timeout_s = 1.0\n"});
  AddRun({.number = 11, .commit_id = "head", .command = {"./x"}, .job_toml = "timeout_s = 2.0\n"});
  v1::RenderReportResponse response;
  ASSERT_TRUE(Render(AddRegression("base", "head"), &response).ok());
  EXPECT_THAT(response.body(), HasSubstr("\tcat >base.toml <<-'JOB'\n\ttimeout_s = 1.0\n"));
  EXPECT_THAT(response.body(), HasSubstr("\tcat >head.toml <<-'JOB'\n\ttimeout_s = 2.0\n"));
}

TEST_F(ReportServiceTest, TheSameRegressionGivesTheSameMail) {
  AddGroup("base", 1, {100, 100, 100});
  AddGroup("head", 11, {90, 90, 90});
  const std::int64_t id = AddRegression("base", "head");
  v1::RenderReportResponse first;
  v1::RenderReportResponse second;
  ASSERT_TRUE(Render(id, &first).ok());
  ASSERT_TRUE(Render(id, &second).ok());
  EXPECT_EQ(first.rfc5322(), second.rfc5322());
}

TEST_F(ReportServiceTest, AReportWhoseRunsWereExcludedCannotBeRendered) {
  AddGroup("base", 1, {100});
  AddGroup("head", 11, {90});
  const std::int64_t id = AddRegression("base", "head");
  const auto run = store_.GetRun(UuidOf(11));
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(store_.Exclude(run->spec.key.run_id, "a bad disk", "test").ok());
  v1::RenderReportResponse response;
  EXPECT_EQ(Render(id, &response).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(ReportServiceTest, AMissingRegressionHasNoReport) {
  v1::RenderReportResponse response;
  EXPECT_EQ(Render(4711, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace regressd::test
