#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/ctl/program.h"
#include "tests/query/query_fixture.h"

namespace regressd::test {

/// The services of services/query, on stores in memory, on a port of loopback, for the real
/// regressctl.
class CtlTest : public QueryTest {
 protected:
  CtlTest();
  ~CtlTest() override;

  /// Runs regressctl to its end against this server.
  Ran Ctl(const std::vector<std::string>& arguments) const;
  /// The server goes away, and comes back at the same place.
  void StopServer();
  void StartServer();
  /// "127.0.0.1:40123".
  const std::string& address() const { return address_; }

 private:
  query::RegressionFeed port_feed_{store_, {.poll_interval = std::chrono::milliseconds(1)}};
  std::unique_ptr<query::QueryServices> port_services_;
  std::unique_ptr<grpc::Server> port_server_;
  std::string address_ = "127.0.0.1:0";
};

}  // namespace regressd::test
