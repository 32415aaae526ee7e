#include "services/regressd/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <thread>

#include "fmt/format.h"
#include "regressd/v1/commit_service.grpc.pb.h"
#include "tests/regressd/health_client.h"

namespace regressd {
namespace {

using ::testing::HasSubstr;
using testing::Health;
using testing::HealthWatch;

TEST(GrpcServerTest, IsNotServingUntilItIsSaid) {
  const auto server = GrpcServer::Start({.listen = "127.0.0.1:0", .reflection = true}, {});
  ASSERT_TRUE(server.ok()) << server.status();
  HealthWatch watch((*server)->port(), "regressd.v1.RegressionService");
  EXPECT_EQ(watch.Next(), Health::kNotServing);
  (*server)->SetServing(true);
  EXPECT_EQ(watch.Next(), Health::kServing);
}

TEST(GrpcServerTest, AWatcherOfItsHealthDoesNotHoldUpItsEnd) {
  const auto server = GrpcServer::Start({.listen = "127.0.0.1:0", .reflection = false}, {});
  ASSERT_TRUE(server.ok()) << server.status();
  HealthWatch watch((*server)->port(), "");
  ASSERT_EQ(watch.Next(), Health::kNotServing);
  (*server)->Shutdown(std::chrono::system_clock::now() + std::chrono::hours(24));
  EXPECT_EQ(watch.Next(), std::nullopt);
}

// Answers when it is told to.
class SlowCommits : public v1::CommitService::Service {
 public:
  grpc::Status GetCommit(grpc::ServerContext*, const v1::GetCommitRequest*,
                         v1::GetCommitResponse*) override {
    entered.count_down();
    go_on.wait();
    return grpc::Status::OK;
  }
  std::latch entered{1};
  std::latch go_on{1};
};

TEST(GrpcServerTest, ACallThatRunsMayEnd) {
  SlowCommits commits;
  grpc::Service* const services[] = {&commits};
  const auto server = GrpcServer::Start({.listen = "127.0.0.1:0", .reflection = false}, services);
  ASSERT_TRUE(server.ok()) << server.status();
  const auto stub = v1::CommitService::NewStub(grpc::CreateChannel(
      fmt::format("127.0.0.1:{}", (*server)->port()), grpc::InsecureChannelCredentials()));
  grpc::Status status;
  std::jthread caller([&] {
    grpc::ClientContext context;
    v1::GetCommitResponse response;
    status = stub->GetCommit(&context, v1::GetCommitRequest(), &response);
  });
  commits.entered.wait();
  std::jthread stopper(
      [&] { (*server)->Shutdown(std::chrono::system_clock::now() + std::chrono::hours(24)); });
  commits.go_on.count_down();
  caller.join();
  stopper.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(GrpcServerTest, AnotherServerCannotTakeAPortThatIsTaken) {
  const auto first = GrpcServer::Start({.listen = "127.0.0.1:0", .reflection = false}, {});
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = fmt::format("127.0.0.1:{}", (*first)->port());
  const auto second = GrpcServer::Start({.listen = address, .reflection = false}, {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
}

}  // namespace
}  // namespace regressd
