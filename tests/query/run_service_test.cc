#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "services/common/error_details.h"
#include "services/common/grpc_status.h"
#include "tests/query/query_fixture.h"

namespace regressd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunServiceTest : public QueryTest {};

TEST_F(RunServiceTest, ARunIsFoundByItsUuidAndByAPrefixThatOnlyItHas) {
  AddRun({.number = 7});
  for (const std::string& name : {UuidOf(7), std::string("0a1b2c3d")}) {
    grpc::ClientContext context;
    v1::GetRunRequest request;
    request.set_run_uuid(name);
    v1::GetRunResponse response;
    const grpc::Status status = runs_->GetRun(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.run().spec().run_uuid(), UuidOf(7));
    EXPECT_EQ(response.run().state(), v1::RUN_STATE_COMPLETE);
    EXPECT_EQ(response.run().spec().axes(0).key(), "testcase");
    EXPECT_EQ(response.run().created_by(), "test");
    ASSERT_EQ(response.run().sources_size(), 1);
    EXPECT_EQ(response.run().sources(0).last_seq(), 1);
  }
}

TEST_F(RunServiceTest, ARunThatIsNotThereIsNotFoundAndAShortPrefixIsRefused) {
  AddRun({.number = 7});
  const auto get = [this](const std::string& name) {
    grpc::ClientContext context;
    v1::GetRunRequest request;
    request.set_run_uuid(name);
    v1::GetRunResponse response;
    return runs_->GetRun(&context, request, &response).error_code();
  };
  EXPECT_EQ(get(UuidOf(8)), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(get("0a1"), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(get(""), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(RunServiceTest, PagesOfRunsWalkEveryRunOnceNewestFirst) {
  for (int number = 1; number <= 7; ++number) AddRun({.number = number});
  std::vector<std::string> walked;
  v1::ListRunsRequest request;
  request.set_page_size(3);
  int page_count = 0;
  do {
    grpc::ClientContext context;
    v1::ListRunsResponse response;
    ASSERT_TRUE(runs_->ListRuns(&context, request, &response).ok());
    for (const v1::Run& run : response.runs()) walked.push_back(run.spec().run_uuid());
    request.set_page_token(response.next_page_token());
    ++page_count;
  } while (!request.page_token().empty());
  EXPECT_THAT(walked, ElementsAre(UuidOf(7), UuidOf(6), UuidOf(5), UuidOf(4), UuidOf(3), UuidOf(2),
                                  UuidOf(1)));
  EXPECT_EQ(page_count, 3);
}

TEST_F(RunServiceTest, AFullLastPageHasNoToken) {
  for (int number = 1; number <= 4; ++number) AddRun({.number = number});
  grpc::ClientContext context;
  v1::ListRunsRequest request;
  request.set_page_size(4);
  v1::ListRunsResponse response;
  ASSERT_TRUE(runs_->ListRuns(&context, request, &response).ok());
  EXPECT_EQ(response.runs_size(), 4);
  EXPECT_EQ(response.next_page_token(), "");
}

TEST_F(RunServiceTest, APageTokenOfAnotherFilterIsRefused) {
  for (int number = 1; number <= 3; ++number) AddRun({.number = number});
  v1::ListRunsRequest request;
  request.set_page_size(1);
  v1::ListRunsResponse response;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(runs_->ListRuns(&context, request, &response).ok());
  }
  request.set_page_token(response.next_page_token());
  request.set_testbox("lkp-hsw-ep2-1");
  grpc::ClientContext context;
  const grpc::Status status = runs_->ListRuns(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(BadFields(status), "page_token");
}

TEST_F(RunServiceTest, RunsAreFilteredByCommitStateAndAxes) {
  AddRun({.number = 1, .commit_id = "base"});
  AddRun({.number = 2, .commit_id = "head"});
  AddRun({.number = 3, .commit_id = "head", .fails = true});
  AddRun(
      {.number = 4, .commit_id = "head", .axes = model::Axes({model::Axis{"testcase", "usemem"}})});
  v1::ListRunsRequest request;
  request.set_commit("head");
  request.set_state(v1::RUN_STATE_COMPLETE);
  v1::Axis* axis = request.add_axes();
  axis->set_key("testcase");
  axis->set_value("vm-scalability");
  grpc::ClientContext context;
  v1::ListRunsResponse response;
  ASSERT_TRUE(runs_->ListRuns(&context, request, &response).ok());
  ASSERT_EQ(response.runs_size(), 1);
  EXPECT_EQ(response.runs(0).spec().run_uuid(), UuidOf(2));
}

TEST_F(RunServiceTest, AnUnknownCommitInAFilterIsNotFound) {
  grpc::ClientContext context;
  v1::ListRunsRequest request;
  request.set_commit("v6.99");
  v1::ListRunsResponse response;
  const grpc::Status status = runs_->ListRuns(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "there is no commit v6.99");
}

TEST_F(RunServiceTest, RunValuesComeByNameInPagesThatMatchTheExpression) {
  AddRun({.number = 1,
          .values = {{"vmstat.swap.so", 3}, {"vmstat.swap.si", 2}, {"vmstat.cpu.us", 1}}});
  v1::ListRunValuesRequest request;
  request.set_run_uuid(UuidOf(1));
  request.set_metric_regex("swap");
  request.set_page_size(1);
  std::vector<std::pair<std::string, double>> walked;
  do {
    grpc::ClientContext context;
    v1::ListRunValuesResponse response;
    ASSERT_TRUE(runs_->ListRunValues(&context, request, &response).ok());
    for (const v1::RunValue& value : response.values()) {
      walked.emplace_back(value.metric().name(), value.value());
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(walked, ElementsAre(testing::Pair("vmstat.swap.si", 2.0),
                                  testing::Pair("vmstat.swap.so", 3.0)));
}

TEST_F(RunServiceTest, ABadRegularExpressionNamesItsField) {
  AddRun({.number = 1});
  grpc::ClientContext context;
  v1::ListRunValuesRequest request;
  request.set_run_uuid(UuidOf(1));
  request.set_metric_regex("swap(");
  v1::ListRunValuesResponse response;
  const grpc::Status status = runs_->ListRunValues(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(BadFields(status), "metric_regex");
}

TEST_F(RunServiceTest, ARunIsExcludedOnceAndTheFirstReasonStays) {
  AddRun({.number = 1});
  v1::ExcludeRunRequest request;
  request.set_run_uuid(UuidOf(1));
  for (const char* reason : {"the disk was full", "again"}) {
    grpc::ClientContext context;
    request.set_reason(reason);
    v1::ExcludeRunResponse response;
    ASSERT_TRUE(runs_->ExcludeRun(&context, request, &response).ok());
    EXPECT_EQ(response.already_excluded(), std::string_view(reason) == "again");
  }
  grpc::ClientContext context;
  v1::GetRunRequest get;
  get.set_run_uuid(UuidOf(1));
  v1::GetRunResponse run;
  ASSERT_TRUE(runs_->GetRun(&context, get, &run).ok());
  EXPECT_EQ(run.run().exclude_reason(), "the disk was full");
  EXPECT_EQ(run.run().excluded_by(), "local");
}

TEST_F(RunServiceTest, ExcludingNeedsAReason) {
  AddRun({.number = 1});
  grpc::ClientContext context;
  v1::ExcludeRunRequest request;
  request.set_run_uuid(UuidOf(1));
  v1::ExcludeRunResponse response;
  const grpc::Status status = runs_->ExcludeRun(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(BadFields(status), "reason");
}

TEST_F(RunServiceTest, AnOutageIsUnavailableAndSaysWhenToRetry) {
  store_.FailWith(absl::UnavailableError("database unreachable"));
  grpc::ClientContext context;
  v1::ListRunsResponse response;
  const grpc::Status status = runs_->ListRuns(&context, v1::ListRunsRequest(), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  const absl::Status detailed = common::FromGrpc(status);
  EXPECT_TRUE(detailed.GetPayload("type.googleapis.com/google.rpc.RetryInfo").has_value());
}

}  // namespace
}  // namespace regressd::test
