#include "tests/regressd/health_client.h"

#include "fmt/format.h"

namespace regressd::testing {
namespace {

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string FromBuffer(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  if (!buffer.DumpToSingleSlice(&slice).ok()) return {};
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

}  // namespace

HealthWatch::HealthWatch(int port, const std::string& service)
    : stub_(grpc::CreateChannel(fmt::format("127.0.0.1:{}", port),
                                grpc::InsecureChannelCredentials())) {
  call_ = stub_.PrepareCall(&context_, "/grpc.health.v1.Health/Watch", &queue_);
  call_->StartCall(this);
  if (!Await()) return;
  // HealthCheckRequest { string service = 1; }
  const std::string request =
      service.empty() ? std::string()
                      : std::string("\x0a") + static_cast<char>(service.size()) + service;
  call_->Write(ToBuffer(request), this);
  Await();
}

HealthWatch::~HealthWatch() {
  context_.TryCancel();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

bool HealthWatch::Await() {
  void* tag = nullptr;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

std::optional<Health> HealthWatch::Next() {
  grpc::ByteBuffer message;
  call_->Read(&message, this);
  if (!Await()) return std::nullopt;
  // HealthCheckResponse { ServingStatus status = 1; }
  const std::string bytes = FromBuffer(message);
  if (bytes.size() != 2 || bytes[0] != 0x08) return Health::kUnknown;
  return static_cast<Health>(bytes[1]);
}

}  // namespace regressd::testing
