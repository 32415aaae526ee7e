#include <fmt/format.h>
#include <gmock/gmock.h>

#include "services/common/error_details.h"
#include "services/common/grpc_status.h"
#include "tests/query/query_fixture.h"

namespace regressd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

v1::CompareRequest RequestOf(std::initializer_list<const char*> commits) {
  v1::CompareRequest request;
  for (const char* commit : commits) request.add_columns()->set_commit(commit);
  return request;
}

class CompareServiceTest : public QueryTest {
 protected:
  grpc::Status Compare(const v1::CompareRequest& request, v1::CompareResponse* response) {
    grpc::ClientContext context;
    response->Clear();
    return compare_->Compare(&context, request, response);
  }
};

TEST_F(CompareServiceTest, AClearDropOfAThroughputIsARegressionWithItsNumbers) {
  AddGroup("base", 1, {100, 101, 99, 100, 100});
  AddGroup("head", 11, {80, 81, 79, 80, 80});
  v1::CompareResponse response;
  const grpc::Status status = Compare(RequestOf({"base", "head"}), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.blocks_size(), 1);
  const v1::ComparisonBlock& block = response.blocks(0);
  EXPECT_THAT(block.compared_axes(), ElementsAre("commit"));
  ASSERT_EQ(block.columns_size(), 2);
  EXPECT_EQ(block.columns(0).run_uuids_size(), 5);
  EXPECT_EQ(block.columns(1).run_uuids(0), UuidOf(11));
  EXPECT_EQ(block.columns(1).facts().testbox(), "lkp-hsw-ep2-1");
  EXPECT_EQ(block.total_row_count(), 1);
  ASSERT_EQ(block.rows_size(), 1);
  EXPECT_THAT(block.rows(0).cells(1).values(), ElementsAre(80, 81, 79, 80, 80));
  EXPECT_FALSE(block.rows(0).cells(0).has_judgement());
  const v1::Judgement& judgement = block.rows(0).cells(1).judgement();
  EXPECT_EQ(judgement.verdict(), v1::VERDICT_REGRESSION);
  EXPECT_DOUBLE_EQ(judgement.relative_change(), -0.2);  // (80 - 100) / 100
  // Python 3.11: statistics.stdev([100, 101, 99, 100, 100])
  EXPECT_NEAR(judgement.base_sample_stddev(), 0.7071067811865476, 1e-12);
}

TEST_F(CompareServiceTest, AColumnSaysHowItsRunsWereCalledOtherwiseAndWhenTheMachineWasBusy) {
  AddRun({.number = 1,
          .commit_id = "base",
          .command = {"./w", "70"},
          .job_toml = "timeout_s = 1.0\n",
          .loadavg = "4.00 3.50 3.00 9/345 12345"});  // Half of 8 CPUs is not above half.
  AddRun({.number = 11,
          .commit_id = "head",
          .command = {"./w", "100"},
          .job_toml = "timeout_s = 2.0\n",
          .loadavg = "4.01 0.00 0.00 9/345 12345"});
  v1::CompareResponse response;
  ASSERT_TRUE(Compare(RequestOf({"base", "head"}), &response).ok());
  const auto& columns = response.blocks(0).columns();
  EXPECT_TRUE(columns[0].setup_differences().empty());
  EXPECT_THAT(columns[1].setup_differences(),
              ElementsAre("command ./w 70 -> ./w 100", "job timeout_s 1.0 -> 2.0"));
  EXPECT_TRUE(columns[0].busy_starts().empty());
  ASSERT_EQ(columns[1].busy_starts_size(), 1);
  EXPECT_EQ(columns[1].busy_starts(0).run_uuid(), UuidOf(11));
  EXPECT_DOUBLE_EQ(columns[1].busy_starts(0).load(), 4.01);
  EXPECT_EQ(columns[1].busy_starts(0).cpu_count(), 8);
}

TEST_F(CompareServiceTest, FailedRunsAreCountedAndNotCompared) {
  AddGroup("base", 1, {100, 101});
  AddGroup("head", 11, {100, 99});
  AddRun({.number = 13, .commit_id = "head", .fails = true});
  v1::CompareResponse response;
  ASSERT_TRUE(Compare(RequestOf({"base", "head"}), &response).ok());
  EXPECT_EQ(response.blocks(0).columns(1).run_uuids_size(), 2);
  EXPECT_EQ(response.blocks(0).columns(1).failed_run_count(), 1);
}

TEST_F(CompareServiceTest, AnAxisCanBeComparedAlong) {
  model::Axes eight({{"testcase", "usemem"}, {"nr_task", "8"}});
  model::Axes sixteen({{"testcase", "usemem"}, {"nr_task", "16"}});
  AddGroup("base", 1, {100, 101}, eight);
  AddGroup("base", 3, {90, 91}, sixteen);
  v1::CompareRequest request = RequestOf({"base", "base"});
  for (int i = 0; i < 2; ++i) {
    v1::Axis* axis = request.mutable_columns(i)->add_axes();
    axis->set_key("nr_task");
    axis->set_value(i == 0 ? "8" : "16");
  }
  v1::CompareResponse response;
  const grpc::Status status = Compare(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.blocks_size(), 1);
  EXPECT_THAT(response.blocks(0).compared_axes(), ElementsAre("nr_task"));
  EXPECT_EQ(response.blocks(0).axes_size(), 1);
  EXPECT_EQ(response.blocks(0).columns(1).axes(0).value(), "16");
  EXPECT_THAT(response.blocks(0).rows(0).cells(1).values(), ElementsAre(90, 91));

  request.mutable_columns(1)->clear_axes();
  EXPECT_EQ(BadFields(Compare(request, &response)), "columns[1].axes");
}

TEST_F(CompareServiceTest, PagesWalkEveryRowOfEveryBlockOnce) {
  for (int i = 0; i < 3; ++i) {
    model::Axes axes({{"testcase", "usemem"}, {"nr_task", fmt::format("{}", i)}});
    std::map<std::string, double> values;
    for (int k = 0; k < 5; ++k) values[fmt::format("usemem.kpi{}", k)] = 10 + k;
    for (int side = 0; side < 2; ++side) {
      AddRun({.number = 1 + i * 2 + side,
              .commit_id = side == 0 ? "base" : "head",
              .axes = axes,
              .values = values});
    }
  }
  v1::CompareRequest request = RequestOf({"base", "head"});
  request.set_page_size(4);
  std::vector<std::string> walked;
  int page_count = 0;
  do {
    v1::CompareResponse response;
    ASSERT_TRUE(Compare(request, &response).ok());
    int row_count = 0;
    for (const auto& block : response.blocks()) {
      EXPECT_EQ(block.total_row_count(), 5);
      EXPECT_EQ(block.columns_size(), 2);
      row_count += block.rows_size();
      for (const auto& row : block.rows()) {
        walked.push_back(block.axes(1).value() + " " + row.metric().name());
      }
    }
    EXPECT_LE(row_count, 4);
    request.set_page_token(response.next_page_token());
    ++page_count;
  } while (!request.page_token().empty());
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 5; ++k) expected.push_back(fmt::format("{} usemem.kpi{}", i, k));
  }
  EXPECT_EQ(walked, expected);
  EXPECT_EQ(page_count, 4);  // ceil(15 / 4)
}

TEST_F(CompareServiceTest, AnAnswerWithTwentyThousandRowsReachesAClientOfDefaultLimits) {
  std::map<std::string, double> values;
  for (int k = 0; k < 20000; ++k) values[fmt::format("proc-vmstat.some_long_name_{:05}", k)] = k;
  for (int number = 1; number <= 3; ++number) {
    AddRun({.number = number, .commit_id = "base", .values = values});
    AddRun({.number = 10 + number, .commit_id = "head", .values = values});
  }
  v1::CompareRequest request = RequestOf({"base", "head"});
  int row_count = 0;
  do {
    v1::CompareResponse response;
    const grpc::Status status = Compare(request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    for (const auto& block : response.blocks()) row_count += block.rows_size();
    // The limit of a client that asks for nothing else: 4 MiB (grpc core,
    // GRPC_DEFAULT_MAX_RECV_MESSAGE_LENGTH).
    EXPECT_LT(response.ByteSizeLong(), 4u << 20);
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(row_count, 20000);
}

TEST_F(CompareServiceTest, AnExpressionHidesRowsButDoesNotChangeTheirFamily) {
  for (int number = 1; number <= 2; ++number) {
    for (const char* commit : {"base", "head"}) {
      AddRun({.number = number + (commit[0] == 'h' ? 10 : 0),
              .commit_id = commit,
              .values = {{"vmstat.swap.so", number}, {"vmstat.swap.si", number}}});
    }
  }
  v1::CompareRequest request = RequestOf({"base", "head"});
  v1::CompareResponse all;
  ASSERT_TRUE(Compare(request, &all).ok());
  request.set_metric_regex("so$");
  v1::CompareResponse some;
  ASSERT_TRUE(Compare(request, &some).ok());
  ASSERT_EQ(all.blocks(0).rows_size(), 2);
  ASSERT_EQ(some.blocks(0).rows_size(), 1);
  EXPECT_EQ(some.blocks(0).rows(0).SerializeAsString(), all.blocks(0).rows(1).SerializeAsString());
}

TEST_F(CompareServiceTest, NothingToCompareSaysWhatEachColumnHas) {
  AddGroup("base", 1, {100, 101});
  AddGroup("head", 3, {100}, model::Axes({model::Axis{"testcase", "usemem"}}));
  v1::CompareResponse response;
  const grpc::Status status = Compare(RequestOf({"base", "head"}), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  const auto info = common::ErrorInfoOf(common::FromGrpc(status));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->reason, "NOTHING_TO_COMPARE");
  EXPECT_THAT(info->metadata.at("columns[0]"), HasSubstr("2 complete runs"));
  EXPECT_THAT(info->metadata.at("columns[1]"), HasSubstr("testcase=usemem"));

  v1::CompareRequest along = RequestOf({"base", "base"});
  for (int i = 0; i < 2; ++i) {
    v1::Axis* axis = along.mutable_columns(i)->add_axes();
    axis->set_key("testcase");
    axis->set_value(i == 0 ? "vm-scalability" : "none");
  }
  const auto gap = common::ErrorInfoOf(common::FromGrpc(Compare(along, &response)));
  ASSERT_TRUE(gap.has_value());
  EXPECT_EQ(gap->metadata.at("columns[1]"),
            "base (testcase=none): 0 complete runs, 0 failed, 0 excluded");
}

TEST_F(CompareServiceTest, BadRequestsAreRefusedWithTheirFields) {
  AddGroup("base", 1, {100});
  v1::CompareResponse response;
  EXPECT_EQ(BadFields(Compare(RequestOf({"base"}), &response)), "columns");
  EXPECT_EQ(BadFields(Compare(RequestOf({"base", ""}), &response)), "columns[1].commit");
  EXPECT_EQ(Compare(RequestOf({"base", "v6.99"}), &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  v1::CompareRequest request = RequestOf({"base", "base"});
  request.set_metric_regex("[");
  EXPECT_EQ(BadFields(Compare(request, &response)), "metric_regex");
  request.set_metric_regex("");
  request.set_page_token("x");
  EXPECT_EQ(BadFields(Compare(request, &response)), "page_token");
}

}  // namespace
}  // namespace regressd::test
