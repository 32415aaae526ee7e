#include "services/regressd/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmt/format.h"
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
