#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "regressd/v1/commit_service.grpc.pb.h"
#include "regressd/v1/compare_service.grpc.pb.h"
#include "regressd/v1/regression_service.grpc.pb.h"
#include "regressd/v1/report_service.grpc.pb.h"
#include "regressd/v1/run_service.grpc.pb.h"
#include "services/auth/authorizer.h"
#include "services/query/comparer.h"
#include "services/query/regression_feed.h"
#include "services/query/services.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace regressd::test {

/// One run in small.
struct RunDraft {
  int number = 1;  ///< Each number gives another UUID.
  std::string commit_id = "base";
  model::Axes axes{{{"testcase", "vm-scalability"}, {"tbox_group", "lkp-hsw-ep2"}}};
  std::map<std::string, double> values{{"vm-scalability.throughput", 100}};  ///< Its run values.
  bool fails = false;
  std::vector<std::string> command = {};
  std::string job_toml = {};
  std::string loadavg = {};  ///< At the start, on 8 CPUs.
};

/// The UUID of a run.
std::string UuidOf(int number);

/// The services of services/query behind the real generated client, on stores in memory.
class QueryTest : public ::testing::Test {
 protected:
  QueryTest();
  ~QueryTest() override;

  /// Stores the run and ends it; the clock goes on by a second.
  void AddRun(const RunDraft& draft);
  /// Runs `first_number`... with these values of vm-scalability.throughput.
  void AddGroup(const std::string& commit_id, int first_number,
                std::initializer_list<double> throughputs,
                const model::Axes& axes = RunDraft().axes);
  /// Stores what the worker would find between two commits; there must be runs. Returns its id.
  std::int64_t AddRegression(const std::string& base, const std::string& head,
                             const model::Axes& axes = RunDraft().axes);

  ManualClock clock_;
  MemoryStore store_{clock_};
  auth::LocalAuthorizer authorizer_;
  query::Comparer comparer_{store_, store_};
  query::RegressionFeed feed_{store_,
                              {.poll_interval = std::chrono::milliseconds(1), .max_watches = 2}};
  query::QueryServices services_;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::RunService::Stub> runs_;
  std::unique_ptr<v1::CommitService::Stub> commits_;
  std::unique_ptr<v1::CompareService::Stub> compare_;
  std::unique_ptr<v1::RegressionService::Stub> regressions_;
  std::unique_ptr<v1::ReportService::Stub> reports_;
};

/// The fields that an answer's google.rpc.BadRequest names, joined by a space.
std::string BadFields(const grpc::Status& status);

}  // namespace regressd::test
