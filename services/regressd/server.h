#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace grpc {
class Server;
class Service;
}  // namespace grpc

namespace regressd {

class CallCounter;

/// The gRPC port: our services, the standard health service and, if wanted, reflection.
/// Thread-safe.
class GrpcServer {
 public:
  struct Options {
    std::string listen;  ///< host:port; port 0 for any.
    bool reflection = true;
  };

  /// Listens, NOT_SERVING until SetServing. The services outlive it.
  /// Errors: Unavailable when it cannot bind.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      const Options& options, std::span<grpc::Service* const> services);
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  /// What the health service says of every service and of the whole.
  void SetServing(bool serving);

  int port() const { return port_; }

  /// Lets the calls of our services end until `deadline`, then takes no more and cancels what is
  /// left, watches of our health among it. Idempotent.
  void Shutdown(std::chrono::system_clock::time_point deadline);

 private:
  GrpcServer();

  std::unique_ptr<CallCounter> calls_;  ///< Outlives the server.
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace regressd
