#include "services/ingest/ingest_service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "regressd/v1/ingest_service.grpc.pb.h"
#include "tests/support/fake_agent.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/intercepted_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/raw_push.h"

namespace regressd::ingest {
namespace {

using test::BatchMessage;
using test::EndMessage;
using test::HelloOf;
using test::RunSpecOf;
using test::SourceMessage;
using Batches = test::InterceptedFactory::Batches;

/// Only who shows the token may send.
class TokenAuthorizer : public auth::Authorizer {
 public:
  absl::StatusOr<auth::Caller> Authorize(std::string_view method,
                                         const auth::Credentials& credentials) const override {
    EXPECT_EQ(method, "/regressd.v1.IngestService/Push");
    if (credentials.bearer_token == "secret") return auth::Caller{"bot-7"};
    return absl::UnauthenticatedError("no token; send authorization: Bearer ...");
  }
};

class IngestServiceTest : public testing::Test {
 protected:
  IngestServiceTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    builder.SetMaxReceiveMessageSize(8 << 20);
    server_ = builder.BuildAndStart();
    stub_ = v1::IngestService::NewStub(server_->InProcessChannel({}));
  }
  ~IngestServiceTest() override {
    server_->Shutdown();
    server_->Wait();
  }

  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<v1::PushRequest, v1::PushResponse>> stream;

    v1::PushResponse Read() {
      v1::PushResponse response;
      stream->Read(&response);
      return response;
    }
    /// Reads acknowledgements until `seq`; 0 when the stream ends before.
    std::int64_t ReadAckOf(std::int64_t seq) {
      v1::PushResponse response;
      while (stream->Read(&response)) {
        if (response.ack().last_seq() >= seq) return response.ack().last_seq();
      }
      return 0;
    }
    grpc::Status Finish() {
      v1::PushResponse response;
      while (stream->Read(&response)) continue;
      return stream->Finish();
    }
  };

  std::unique_ptr<Call> NewCall(const std::string& token = "secret") {
    auto call = std::make_unique<Call>();
    call->context.AddMetadata("authorization", "Bearer " + token);
    call->stream = stub_->Push(&call->context);
    return call;
  }

  test::ManualClock clock_;
  test::MemoryStore memory_{clock_};
  test::InterceptedFactory factory_{memory_};
  prometheus::Registry registry_;
  IngestMetrics metrics_{registry_};
  storage::CommitterPool committers_{factory_, metrics_, {}};
  TokenAuthorizer authorizer_;
  IngestServiceImpl service_{committers_, authorizer_, metrics_, {.max_streams = 2}};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::IngestService::Stub> stub_;
};

TEST_F(IngestServiceTest, ARunFromHelloToEndWithoutWaitingForAnyAnswer) {
  const auto call = NewCall();
  ASSERT_TRUE(call->stream->Write(HelloOf(1)));
  ASSERT_TRUE(call->stream->Write(SourceMessage()));
  for (std::int64_t seq = 1; seq <= 100; ++seq) ASSERT_TRUE(call->stream->Write(BatchMessage(seq)));
  ASSERT_TRUE(call->stream->Write(EndMessage()));
  EXPECT_EQ(call->Read().resume().epoch(), 1);
  EXPECT_EQ(call->ReadAckOf(100), 100);
  EXPECT_EQ(call->Read().ended().state(), v1::RUN_STATE_COMPLETE);
  EXPECT_TRUE(call->Finish().ok());

  const auto run = memory_.GetRun(RunSpecOf(1).key.uuid);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->created_by, "bot-7");
  EXPECT_EQ(run->state, model::RunState::kComplete);

  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("regressd_batches_total 100"), std::string::npos) << text;
  EXPECT_NE(text.find("regressd_values_total 200"), std::string::npos) << text;
  EXPECT_NE(text.find("regressd_db_up 1"), std::string::npos) << text;
}

TEST_F(IngestServiceTest, WithoutATokenNobodySends) {
  const auto call = NewCall("wrong");
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(IngestServiceTest, AStreamTooManyIsTurnedAway) {
  const auto first = NewCall();
  const auto second = NewCall();
  for (const auto* call : {&first, &second}) {
    ASSERT_TRUE((*call)->stream->Write(HelloOf(call == &first ? 1 : 2)));
    (*call)->Read();
  }
  EXPECT_EQ(NewCall()->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (const auto* call : {&first, &second}) {
    (*call)->stream->WritesDone();
    EXPECT_TRUE((*call)->Finish().ok());
  }
}

TEST_F(IngestServiceTest, AWrongMessageIsAnsweredWithItsField) {
  const auto call = NewCall();
  v1::PushRequest hello = HelloOf(1);
  hello.mutable_hello()->mutable_run()->set_run_uuid("run-1");
  ASSERT_TRUE(call->stream->Write(hello));
  const grpc::Status status = call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message().find("hello.run.run_uuid"), std::string::npos)
      << status.error_message();
}

// Bytes that are no PushRequest, by https://protobuf.dev/programming-guides/encoding.
struct Unparsable {
  const char* what;
  std::string bytes;
};

class UnparsableTest : public IngestServiceTest, public testing::WithParamInterface<Unparsable> {};

TEST_P(UnparsableTest, IsRefusedOnceWhatCameBeforeIsAcknowledged) {
  test::RawPush push(server_->InProcessChannel({}), "secret");
  ASSERT_TRUE(push.Write(HelloOf(1).SerializeAsString()));
  ASSERT_TRUE(push.Write(SourceMessage().SerializeAsString()));
  ASSERT_TRUE(push.Write(BatchMessage(1).SerializeAsString()));
  ASSERT_TRUE(push.Write(GetParam().bytes));
  v1::PushResponse response;
  ASSERT_TRUE(push.Read(&response));
  EXPECT_TRUE(response.has_resume());
  ASSERT_TRUE(push.Read(&response));
  EXPECT_EQ(response.ack().last_seq(), 1);
  const grpc::Status status = push.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_NE(status.error_message().find("message 4 of this stream"), std::string::npos)
      << status.error_message();
  EXPECT_NE(status.error_message().find("cannot be parsed"), std::string::npos)
      << status.error_message();
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, UnparsableTest,
    testing::Values(
        // gap (field 7, length 4) with reason (field 4, length 2), which are no UTF-8.
        Unparsable{"BadUtf8", std::string("\x3a\x04\x22\x02\xc3\x28", 6)},
        Unparsable{"GroupEndWithoutBegin", std::string("\x0c", 1)},
        Unparsable{"Text", "GET / HTTP/1.1\r\n\r\n"},
        Unparsable{"CutShort", BatchMessage(2).SerializeAsString().substr(0, 9)}),
    [](const auto& instance) { return std::string(instance.param.what); });

TEST_F(IngestServiceTest, AMessageTooLargeIsRefusedWithItsSizeAndTheLimit) {
  const auto call = NewCall();
  ASSERT_TRUE(call->stream->Write(HelloOf(1)));
  v1::PushRequest large;
  large.mutable_stack_dictionary()->add_folded(std::string(5 << 20, 'f'));
  ASSERT_TRUE(call->stream->Write(large));
  const grpc::Status status = call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message().find(std::to_string(large.ByteSizeLong()) + " bytes"),
            std::string::npos)
      << status.error_message();
  EXPECT_NE(status.error_message().find("at most 4194304"), std::string::npos)
      << status.error_message();
}

TEST_F(IngestServiceTest, DrainEndsStreamsAfterTheirAcknowledgements) {
  std::promise<void> commit_began, release;
  std::atomic<bool> first = true;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches) {
    if (first.exchange(false)) commit_began.set_value();
    released.wait();
    return absl::OkStatus();
  };
  const auto call = NewCall();
  ASSERT_TRUE(call->stream->Write(HelloOf(1)));
  call->Read();
  ASSERT_TRUE(call->stream->Write(SourceMessage()));
  ASSERT_TRUE(call->stream->Write(BatchMessage(1)));
  commit_began.get_future().wait();
  EXPECT_FALSE(service_.Drain(std::chrono::milliseconds(0)));
  EXPECT_EQ(NewCall()->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  std::jthread draining([&] { EXPECT_TRUE(service_.Drain(std::chrono::minutes(10))); });
  release.set_value();
  EXPECT_EQ(call->ReadAckOf(1), 1);
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(IngestServiceTest, AnAgentThatVanishesHoldsNothingUp) {
  {
    const auto call = NewCall();
    ASSERT_TRUE(call->stream->Write(HelloOf(1)));
    call->Read();
    ASSERT_TRUE(call->stream->Write(SourceMessage()));
    ASSERT_TRUE(call->stream->Write(BatchMessage(1)));
    EXPECT_EQ(call->ReadAckOf(1), 1);
    call->context.TryCancel();
    EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_TRUE(service_.Drain(std::chrono::minutes(10)));
}

}  // namespace
}  // namespace regressd::ingest
