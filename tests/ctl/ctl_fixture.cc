#include "tests/ctl/ctl_fixture.h"

namespace regressd::test {

CtlTest::CtlTest() { StartServer(); }

CtlTest::~CtlTest() {
  port_feed_.Stop();
  StopServer();
}

Ran CtlTest::Ctl(const std::vector<std::string>& arguments) const {
  return Regressctl(address_, arguments);
}

void CtlTest::StopServer() {
  if (port_server_) port_server_->Shutdown(std::chrono::system_clock::now());
  port_server_.reset();
  port_services_.reset();
}

void CtlTest::StartServer() {
  port_services_ =
      std::make_unique<query::QueryServices>(query::QueryParts{.runs = store_,
                                                               .commits = store_,
                                                               .regressions = store_,
                                                               .comparer = comparer_,
                                                               .feed = port_feed_,
                                                               .authorizer = authorizer_,
                                                               .mail = {}});
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials(), &port);
  for (grpc::Service* service : port_services_->list()) builder.RegisterService(service);
  port_server_ = builder.BuildAndStart();
  ASSERT_NE(port_server_, nullptr);
  address_ = "127.0.0.1:" + std::to_string(port);
}

}  // namespace regressd::test
