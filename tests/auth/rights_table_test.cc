#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/auth/authorizer.h"
#include "tests/auth/methods.h"

namespace regressd::auth {
namespace {

TEST(RightsTableTest, EveryRpcOfEveryProtoNeedsARight) {
  const std::vector<test::Method> methods = test::AllMethods();
  EXPECT_EQ(methods.size(), 17u);  // grep -c '^  rpc ' proto/regressd/v1/*.proto
  for (const test::Method& method : methods) {
    EXPECT_TRUE(RightFor(method.name).has_value()) << method.name << " is not in the table";
  }
}

TEST(RightsTableTest, WhatChangesSomethingIsNotForReaders) {
  EXPECT_EQ(RightFor("/regressd.v1.IngestService/Push"), Right::kIngest);
  for (const char* method :
       {"/regressd.v1.RunService/ExcludeRun", "/regressd.v1.CommitService/AddCommits",
        "/regressd.v1.RegressionService/SetRegressionState"}) {
    EXPECT_EQ(RightFor(method), Right::kCurate) << method;
  }
  // Every other rpc changes nothing.
  for (const test::Method& method : test::AllMethods()) {
    const std::string rpc = method.name.substr(method.name.rfind('/') + 1);
    const bool reads = rpc.starts_with("Get") || rpc.starts_with("List") ||
                       rpc.starts_with("Read") || rpc.starts_with("Watch") ||
                       rpc.starts_with("Render") || rpc == "Compare";
    EXPECT_EQ(RightFor(method.name) == Right::kRead, reads) << method.name;
  }
}

TEST(RightsTableTest, PagesAreRead) {
  for (const char* page :
       {"/page/regressions", "/page/regression", "/page/compare", "/page/runs", "/page/run"}) {
    EXPECT_EQ(RightFor(page), Right::kRead) << page;
  }
}

TEST(LocalAuthorizerTest, EverybodyIsLocalAndNobodyMayCallWhatIsNotInTheTable) {
  const LocalAuthorizer authorizer;
  const auto caller = authorizer.Authorize("/regressd.v1.RunService/GetRun", {});
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->name, "local");
  const auto refused = authorizer.Authorize("/regressd.v1.RunService/DropRun", {});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(std::string(refused.status().message()).find("/regressd.v1.RunService/DropRun"),
            std::string::npos);
}

}  // namespace
}  // namespace regressd::auth
