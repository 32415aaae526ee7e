#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <memory>

#include "services/auth/authorizer.h"
#include "services/ingest/ingest_service.h"
#include "services/query/services.h"
#include "storage/committer_pool.h"
#include "tests/auth/methods.h"
#include "tests/support/intercepted_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace regressd::test {
namespace {

// Lets nobody do anything, and remembers what it was asked.
class DenyingAuthorizer : public auth::Authorizer {
 public:
  absl::StatusOr<auth::Caller> Authorize(std::string_view method,
                                         const auth::Credentials& credentials) const override {
    method_ = method;
    credentials_ = credentials;
    return absl::PermissionDeniedError("not you");
  }

  mutable std::string method_;
  mutable auth::Credentials credentials_;
};

void Step(grpc::CompletionQueue* queue) {
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue->Next(&tag, &ok));
}

// Calls `method` with an empty request, whatever its types are, and returns how it ends.
grpc::Status Call(const std::shared_ptr<grpc::Channel>& channel, const std::string& method) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.AddMetadata("authorization", "bearer s3cret");
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(nullptr);
  Step(&queue);
  call->WriteLast(grpc::ByteBuffer(nullptr, 0), grpc::WriteOptions(), nullptr);
  Step(&queue);
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  Step(&queue);
  grpc::Status status;
  call->Finish(&status, nullptr);
  Step(&queue);
  return status;
}

class DeniedTest : public testing::Test {
 protected:
  DeniedTest() {
    grpc::ServerBuilder builder;
    for (grpc::Service* service : services_.list()) builder.RegisterService(service);
    builder.RegisterService(&ingest_);
    server_ = builder.BuildAndStart();
    channel_ = server_->InProcessChannel({});
  }
  ~DeniedTest() override { server_->Shutdown(); }

  ManualClock clock_;
  MemoryStore store_{clock_};
  query::Comparer comparer_{store_, store_};
  query::RegressionFeed feed_{store_};
  DenyingAuthorizer authorizer_;
  query::QueryServices services_{{.runs = store_,
                                  .commits = store_,
                                  .regressions = store_,
                                  .comparer = comparer_,
                                  .feed = feed_,
                                  .authorizer = authorizer_,
                                  .mail = {}}};
  InterceptedFactory ingest_stores_{store_};
  prometheus::Registry registry_;
  ingest::IngestMetrics metrics_{registry_};
  storage::CommitterPool committers_{ingest_stores_, metrics_, {}};
  ingest::IngestServiceImpl ingest_{committers_, authorizer_, metrics_};
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(DeniedTest, EveryRpcAsksUnderItsOwnNameBeforeItDoesAnything) {
  // Even a request that would be refused anyway is refused for this first.
  store_.FailWith(absl::InternalError("asked the store before the authorizer"));
  int called_count = 0;
  for (const Method& method : AllMethods()) {
    const grpc::Status status = Call(channel_, method.name);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED)
        << method.name << ": " << status.error_message();
    EXPECT_EQ(authorizer_.method_, method.name);
    ++called_count;
  }
  EXPECT_EQ(called_count, 17);
}

TEST_F(DeniedTest, TheAuthorizerSeesTokenAndPeer) {
  Call(channel_, "/regressd.v1.RunService/GetRun");
  EXPECT_EQ(authorizer_.credentials_.bearer_token, "s3cret");
  EXPECT_FALSE(authorizer_.credentials_.peer.empty());
}

}  // namespace
}  // namespace regressd::test
