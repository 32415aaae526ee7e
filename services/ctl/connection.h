#pragma once

#include <chrono>
#include <memory>

#include "absl/status/status.h"
#include "services/ctl/settings.h"

namespace grpc {
class Channel;
class ClientContext;
class Status;
}  // namespace grpc

namespace regressd::ctl {

/// The way to a server. Connects with the first call. Thread-safe.
class Connection {
 public:
  /// `timeout` bounds each call.
  Connection(ServerAddress server, std::chrono::milliseconds timeout);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  /// Sets the deadline of a call that is about to start.
  void StartCall(grpc::ClientContext* context) const;
  /// The outcome of a call, in words that say where the server was sought and what to do.
  absl::Status ToStatus(const grpc::Status& status) const;

 private:
  const ServerAddress server_;
  const std::chrono::milliseconds timeout_;
  const std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace regressd::ctl
