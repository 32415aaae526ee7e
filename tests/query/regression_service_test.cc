#include <gmock/gmock.h>

#include "tests/query/query_fixture.h"

namespace regressd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RegressionServiceTest : public QueryTest {
 protected:
  RegressionServiceTest() {
    AddGroup("base", 1, {100, 100, 100});
    AddGroup("head", 11, {90, 90, 90});
  }

  grpc::Status SetState(std::int64_t regression_id, v1::RegressionState state,
                        const std::string& etag, v1::SetRegressionStateResponse* response) {
    grpc::ClientContext context;
    v1::SetRegressionStateRequest request;
    request.set_regression_id(regression_id);
    request.set_state(state);
    request.set_comment("looks real");
    request.set_etag(etag);
    return regressions_->SetRegressionState(&context, request, response);
  }
};

TEST_F(RegressionServiceTest, ARegressionComesWithItsMetricsAndItsHistory) {
  const std::int64_t id = AddRegression("base", "head");
  grpc::ClientContext context;
  v1::GetRegressionRequest request;
  request.set_regression_id(id);
  v1::GetRegressionResponse response;
  ASSERT_TRUE(regressions_->GetRegression(&context, request, &response).ok());
  EXPECT_EQ(response.regression().base().commit_id(), "base");
  EXPECT_EQ(response.regression().head().commit_id(), "head");
  EXPECT_EQ(response.regression().axes(0).value(), "vm-scalability");
  ASSERT_EQ(response.regression().metrics_size(), 1);
  EXPECT_DOUBLE_EQ(response.regression().metrics(0).judgement().relative_change(), -0.1);
  ASSERT_EQ(response.events_size(), 1);
  EXPECT_EQ(response.events(0).regression_id(), id);
}

TEST_F(RegressionServiceTest, AMissingRegressionIsNotFound) {
  grpc::ClientContext context;
  v1::GetRegressionRequest request;
  request.set_regression_id(4711);
  v1::GetRegressionResponse response;
  EXPECT_EQ(regressions_->GetRegression(&context, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(RegressionServiceTest, PagesOfRegressionsWalkEachOnceNewestFirst) {
  // The fake's queue hands out one group at a time; each judging here finds one more head.
  AddRegression("base", "head");
  AddGroup("head2", 21, {80, 80, 80});
  AddRegression("base", "head2");
  AddGroup("head3", 31, {70, 70, 70});
  AddRegression("base", "head3");
  v1::ListRegressionsRequest request;
  request.set_page_size(2);
  std::vector<std::string> walked;
  do {
    grpc::ClientContext context;
    v1::ListRegressionsResponse response;
    ASSERT_TRUE(regressions_->ListRegressions(&context, request, &response).ok());
    for (const auto& regression : response.regressions()) {
      walked.push_back(regression.head().commit_id());
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(walked, ElementsAre("head3", "head2", "head"));

  request.set_head_commit("head2");
  grpc::ClientContext context;
  v1::ListRegressionsResponse response;
  ASSERT_TRUE(regressions_->ListRegressions(&context, request, &response).ok());
  ASSERT_EQ(response.regressions_size(), 1);
  EXPECT_EQ(response.regressions(0).head().commit_id(), "head2");
}

TEST_F(RegressionServiceTest, AStateIsSetOnceWithTheEtagThatWasRead) {
  const std::int64_t id = AddRegression("base", "head");
  v1::SetRegressionStateResponse response;
  ASSERT_TRUE(SetState(id, v1::REGRESSION_STATE_ACKNOWLEDGED, "", &response).ok());
  EXPECT_EQ(response.regression().state(), v1::REGRESSION_STATE_ACKNOWLEDGED);
  const std::string etag = response.regression().etag();
  ASSERT_TRUE(SetState(id, v1::REGRESSION_STATE_FIXED, etag, &response).ok());
  EXPECT_NE(response.regression().etag(), etag);
  EXPECT_EQ(SetState(id, v1::REGRESSION_STATE_CONFIRMED, etag, &response).error_code(),
            grpc::StatusCode::ABORTED);
}

TEST_F(RegressionServiceTest, TheWorkersStatesAreNotForPeople) {
  const std::int64_t id = AddRegression("base", "head");
  v1::SetRegressionStateResponse response;
  EXPECT_EQ(BadFields(SetState(id, v1::REGRESSION_STATE_RETRACTED, "", &response)), "state");
  EXPECT_EQ(BadFields(SetState(id, v1::REGRESSION_STATE_UNSPECIFIED, "", &response)), "state");
  EXPECT_EQ(BadFields(SetState(id, v1::REGRESSION_STATE_FIXED, "x7", &response)), "etag");
}

TEST_F(RegressionServiceTest, AWatchHearsAChangeThatFollowsItsFirstAnswer) {
  grpc::ClientContext context;
  const auto reader = regressions_->WatchRegressions(&context, v1::WatchRegressionsRequest());
  v1::WatchRegressionsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_FALSE(response.has_event());

  const std::int64_t id = AddRegression("base", "head");
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().regression_id(), id);
  EXPECT_EQ(response.regression().head().commit_id(), "head");

  v1::SetRegressionStateResponse set;
  ASSERT_TRUE(SetState(id, v1::REGRESSION_STATE_FIXED, "", &set).ok());
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().state(), v1::REGRESSION_STATE_FIXED);
  EXPECT_EQ(response.event().comment(), "looks real");
  EXPECT_EQ(response.event().created_by(), "local");
  context.TryCancel();
  while (reader->Read(&response)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(RegressionServiceTest, AWatchGoesOnAfterTheEventThatItHeardLast) {
  const std::int64_t id = AddRegression("base", "head");
  v1::SetRegressionStateResponse set;
  ASSERT_TRUE(SetState(id, v1::REGRESSION_STATE_FIXED, "", &set).ok());
  grpc::ClientContext context;
  v1::WatchRegressionsRequest request;
  request.set_after_event_id(1);
  const auto reader = regressions_->WatchRegressions(&context, request);
  v1::WatchRegressionsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().event_id(), 2);
}

TEST_F(RegressionServiceTest, AWatchFromTheBeginningHearsEveryEventThatIsKept) {
  AddRegression("base", "head");
  grpc::ClientContext context;
  v1::WatchRegressionsRequest request;
  request.set_from_beginning(true);
  const auto reader = regressions_->WatchRegressions(&context, request);
  v1::WatchRegressionsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().event_id(), 1);

  grpc::ClientContext both;
  request.set_after_event_id(3);
  const auto refused = regressions_->WatchRegressions(&both, request);
  EXPECT_FALSE(refused->Read(&response));
  EXPECT_EQ(BadFields(refused->Finish()), "after_event_id");
}

TEST_F(RegressionServiceTest, AWatchOutlivesAnOutageOfTheStore) {
  grpc::ClientContext context;
  const auto reader = regressions_->WatchRegressions(&context, v1::WatchRegressionsRequest());
  v1::WatchRegressionsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  store_.FailWith(absl::UnavailableError("database unreachable"));
  {
    grpc::ClientContext refused;
    const auto late = regressions_->WatchRegressions(&refused, v1::WatchRegressionsRequest());
    EXPECT_FALSE(late->Read(&response));
    EXPECT_EQ(late->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  store_.FailWith(absl::OkStatus());
  const std::int64_t id = AddRegression("base", "head");
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().regression_id(), id);
}

TEST_F(RegressionServiceTest, AWatchTooManyIsTurnedAwayAndDrainingEndsTheOthers) {
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchRegressionsResponse>>> readers;
  v1::WatchRegressionsResponse response;
  for (int i = 0; i < 3; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    readers.push_back(
        regressions_->WatchRegressions(contexts.back().get(), v1::WatchRegressionsRequest()));
    EXPECT_EQ(readers.back()->Read(&response), i < 2);  // max_watches of the fixture.
  }
  EXPECT_EQ(readers[2]->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  feed_.Stop();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(readers[i]->Read(&response));
    const grpc::Status status = readers[i]->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("draining"));
  }
}

TEST_F(RegressionServiceTest, AWatchEndsWithItsDeadline) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  const auto reader = regressions_->WatchRegressions(&context, v1::WatchRegressionsRequest());
  v1::WatchRegressionsResponse response;
  while (reader->Read(&response)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace regressd::test
