#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>

namespace regressd::testing {

/// grpc.health.v1.HealthCheckResponse.ServingStatus.
enum class Health { kUnknown = 0, kServing = 1, kNotServing = 2, kServiceUnknown = 3 };

/// A Watch of the standard health service, written from its wire format: the library ships no stub
/// of it. One thread.
class HealthWatch {
 public:
  /// `service` empty: the whole server.
  HealthWatch(int port, const std::string& service);
  ~HealthWatch();

  /// The next status; unset when the stream ended.
  std::optional<Health> Next();

 private:
  bool Await();

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace regressd::testing
