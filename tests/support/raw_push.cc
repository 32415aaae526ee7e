#include "tests/support/raw_push.h"

#include <grpcpp/impl/codegen/proto_utils.h>

namespace regressd::test {

RawPush::RawPush(const std::shared_ptr<grpc::Channel>& channel, const std::string& token)
    : stub_(channel) {
  context_.AddMetadata("authorization", "Bearer " + token);
  call_ = stub_.PrepareCall(&context_, "/regressd.v1.IngestService/Push", &queue_);
  call_->StartCall(nullptr);
  Step();
}

RawPush::~RawPush() {
  context_.TryCancel();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) continue;
}

bool RawPush::Step() {
  void* tag = nullptr;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

bool RawPush::Write(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  call_->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  return Step();
}

bool RawPush::Read(v1::PushResponse* response) {
  grpc::ByteBuffer answer;
  call_->Read(&answer, nullptr);
  return Step() && grpc::SerializationTraits<v1::PushResponse>::Deserialize(&answer, response).ok();
}

grpc::Status RawPush::Finish() {
  v1::PushResponse response;
  while (Read(&response)) continue;
  grpc::Status status;
  call_->Finish(&status, nullptr);
  Step();
  return status;
}

}  // namespace regressd::test
