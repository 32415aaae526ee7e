#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "regressd/v1/commit_service.grpc.pb.h"
#include "regressd/v1/compare_service.grpc.pb.h"
#include "regressd/v1/regression_service.grpc.pb.h"
#include "regressd/v1/run_service.grpc.pb.h"
#include "services/common/convert.h"
#include "tests/ctl/program.h"

namespace regressd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kGood = "00000000-0000-4000-8000-000000000001";
constexpr const char* kBad = "00000000-0000-4000-8000-000000000002";
constexpr const char* kLast = "00000000-0000-4000-8000-000000000003";

// A run as stored; one of more axes than the protos allow cannot be read back.
v1::Run StoredRun(const std::string& uuid, int axis_count) {
  v1::Run run;
  run.mutable_spec()->set_run_uuid(uuid);
  for (int i = 0; i < axis_count; ++i) {
    v1::Axis* axis = run.mutable_spec()->add_axes();
    axis->set_key(i == 0 ? "testcase" : "p" + std::to_string(i));
    axis->set_value("swap-w-seq");
  }
  run.mutable_spec()->mutable_facts()->set_testbox("box-1");
  run.mutable_spec()->mutable_commit()->set_commit_id("base");
  run.mutable_spec()->mutable_start_time()->set_seconds(1'700'000'000);
  run.mutable_create_time()->set_seconds(1'700'000'000);
  run.set_state(v1::RUN_STATE_COMPLETE);
  return run;
}

v1::Metric MetricOf(const std::string& name) {
  v1::Metric metric;
  metric.set_name(name);
  metric.set_kind(v1::METRIC_KIND_GAUGE);
  return metric;
}

// A server of a store into which something wrong got: it sends it as it is.
class WrongRuns final : public v1::RunService::Service {
  grpc::Status ListRuns(grpc::ServerContext*, const v1::ListRunsRequest*,
                        v1::ListRunsResponse* response) override {
    *response->add_runs() = StoredRun(kGood, 1);
    *response->add_runs() = StoredRun(kBad, 70);
    *response->add_runs() = StoredRun(kLast, 1);
    v1::Unreadable* odd = response->add_unreadable();
    odd->set_name("run 0a1b");
    odd->set_reason("column start_time is infinity");
    return grpc::Status::OK;
  }
  grpc::Status GetRun(grpc::ServerContext*, const v1::GetRunRequest* request,
                      v1::GetRunResponse* response) override {
    *response->mutable_run() = StoredRun(request->run_uuid(), request->run_uuid() == kBad ? 70 : 1);
    return grpc::Status::OK;
  }
  grpc::Status ListRunValues(grpc::ServerContext*, const v1::ListRunValuesRequest*,
                             v1::ListRunValuesResponse* response) override {
    for (const char* name : {"vmstat.swap.so", "torn\nname", "vmstat.swap.si"}) {
      v1::RunValue* value = response->add_values();
      *value->mutable_metric() = MetricOf(name);
      value->set_value(8);
    }
    return grpc::Status::OK;
  }
};

class WrongCommits final : public v1::CommitService::Service {
  grpc::Status ListCommits(grpc::ServerContext*, const v1::ListCommitsRequest*,
                           v1::ListCommitsResponse* response) override {
    for (const char* id : {"v6.12", "to\nrn", "v6.13"}) {
      response->add_commits()->mutable_commit()->set_commit_id(id);
    }
    return grpc::Status::OK;
  }
};

class WrongRegressions final : public v1::RegressionService::Service {
  grpc::Status ListRegressions(grpc::ServerContext*, const v1::ListRegressionsRequest*,
                               v1::ListRegressionsResponse* response) override {
    for (const int id : {3, 2, 1}) {
      v1::Regression* regression = response->add_regressions();
      regression->set_regression_id(id);
      regression->set_title("-10.0% regression of x");
      if (id == 2) continue;  // Without a state and commits.
      regression->set_state(v1::REGRESSION_STATE_NEW);
      regression->mutable_base()->set_commit_id("base");
      regression->mutable_head()->set_commit_id("head");
      regression->set_etag(common::EtagOf(1));
    }
    return grpc::Status::OK;
  }
};

class WrongComparison final : public v1::CompareService::Service {
  grpc::Status Compare(grpc::ServerContext*, const v1::CompareRequest*,
                       v1::CompareResponse* response) override {
    v1::ComparisonBlock* block = response->add_blocks();
    for (const char* commit : {"base", "head"}) {
      v1::ComparisonColumn* column = block->add_columns();
      column->mutable_commit()->set_commit_id(commit);
      column->add_run_uuids(kGood);
    }
    for (const char* name : {"a.first", "torn\nname", "z.last"}) {
      v1::ComparisonRow* row = block->add_rows();
      *row->mutable_metric() = MetricOf(name);
      for (int i = 0; i < 2; ++i) {
        v1::ComparisonCell* cell = row->add_cells();
        cell->add_values(7);
        cell->add_run_index(0);
      }
    }
    block->set_total_row_count(3);
    return grpc::Status::OK;
  }
};

class UnreadableRowsTest : public ::testing::Test {
 protected:
  UnreadableRowsTest() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&runs_);
    builder.RegisterService(&commits_);
    builder.RegisterService(&regressions_);
    builder.RegisterService(&comparison_);
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }

  Ran Ctl(const std::vector<std::string>& arguments) const {
    return Regressctl(address_, arguments);
  }

 private:
  WrongRuns runs_;
  WrongCommits commits_;
  WrongRegressions regressions_;
  WrongComparison comparison_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

std::ptrdiff_t LineCount(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST_F(UnreadableRowsTest, AListOfRunsShowsEveryOtherRunAndOneLineForTheOneThatIsWrong) {
  const Ran table = Ctl({"runs"});
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, AllOf(HasSubstr(kGood), HasSubstr(kLast), Not(HasSubstr(kBad))));
  EXPECT_EQ(LineCount(table.error), 2) << table.error;
  EXPECT_THAT(table.error, AllOf(HasSubstr(kBad), HasSubstr("entries; at most 64 are taken")));
  EXPECT_THAT(table.error, HasSubstr("regressctl: run 0a1b is not shown: column start_time is "
                                     "infinity\n"));
  // With --quiet, too: it silences what is no error.
  const Ran json = Ctl({"runs", "--json", "--quiet"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("runs").size(), 2U);
  EXPECT_EQ(LineCount(json.error), 2) << json.error;
}

TEST_F(UnreadableRowsTest, TheOneRunThatWasAskedForIsAFaultOfTheServerAndNotOfTheCommandLine) {
  const Ran ran = Ctl({"run", kBad});
  EXPECT_EQ(ran.code, 70);
  EXPECT_THAT(ran.error, AllOf(HasSubstr(kBad), HasSubstr("cannot read")));
}

TEST_F(UnreadableRowsTest, TheValuesOfARunAreShownWithoutTheOneThatIsWrong) {
  const Ran ran = Ctl({"run", kGood, "--metric", "."});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("vmstat.swap.so"), HasSubstr("vmstat.swap.si")));
  EXPECT_EQ(LineCount(ran.error), 1) << ran.error;
  EXPECT_THAT(ran.error, HasSubstr("torn name"));
}

TEST_F(UnreadableRowsTest, ListsOfCommitsAndRegressionsShowTheOthers) {
  const Ran commits = Ctl({"commits", "list"});
  EXPECT_EQ(commits.code, 0);
  EXPECT_THAT(commits.out, AllOf(HasSubstr("v6.12"), HasSubstr("v6.13")));
  EXPECT_THAT(commits.error, StartsWith("regressctl: commit to rn is not shown: "));
  const Ran regressions = Ctl({"regressions", "--format", "csv"});
  EXPECT_EQ(regressions.code, 0);
  EXPECT_THAT(regressions.out, AllOf(HasSubstr("\n3,new,"), HasSubstr("\n1,new,")));
  EXPECT_THAT(regressions.error, StartsWith("regressctl: regression 2 is not shown: "));
}

TEST_F(UnreadableRowsTest, AComparisonShowsTheOtherRowsButDoesNotSayThatNothingRegressed) {
  const Ran table = Ctl({"compare", "base", "head", "--all"});
  EXPECT_EQ(table.code, 0) << table.error;
  EXPECT_THAT(table.out, AllOf(HasSubstr("a.first"), HasSubstr("z.last")));
  EXPECT_EQ(LineCount(table.error), 1) << table.error;
  EXPECT_EQ(Ctl({"compare", "base", "head", "--exit-code"}).code, 70);
}

}  // namespace
}  // namespace regressd::test
