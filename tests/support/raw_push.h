#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "regressd/v1/ingest_service.pb.h"

namespace regressd::test {

/// A Push whose messages are whatever bytes one likes. One thread; waits in every call.
class RawPush {
 public:
  RawPush(const std::shared_ptr<grpc::Channel>& channel, const std::string& token);
  ~RawPush();

  /// False when the stream has ended.
  bool Write(const std::string& bytes);
  /// False when the stream has ended.
  bool Read(v1::PushResponse* response);
  /// Reads what still comes; how the stream ended.
  grpc::Status Finish();

 private:
  bool Step();

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace regressd::test
