#pragma once

#include <grpcpp/support/server_interceptor.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace regressd {

/// Counts the calls of our own services that are under way. Those of gRPC's are left out: a client
/// may watch our health for ever, and that must not hold up a shutdown. Thread-safe.
class CallCounter {
 public:
  /// For a server's builder; the counter outlives the server.
  std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeInterceptorFactory();

  /// Waits until no call is under way, `deadline` at most; whether none is.
  bool AwaitNone(std::chrono::system_clock::time_point deadline);

 private:
  class Factory;
  class Call;

  std::mutex mutex_;
  std::condition_variable ended_;
  int count_ = 0;  ///< Guarded by mutex_.
};

}  // namespace regressd
