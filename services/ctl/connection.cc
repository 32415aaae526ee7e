#include "services/ctl/connection.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "services/common/grpc_status.h"

namespace regressd::ctl {
namespace {

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address) {
  constexpr int kMaxMessageBytes = 64 << 20;
  // Servers take more frequent pings on an idle stream for an attack, unless told otherwise.
  constexpr int kKeepaliveMs = 310'000;
  constexpr int kMaxReconnectBackoffMs = 30'000;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  // A watch may be idle for hours; a dead link must not look like silence.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

absl::Status WithMessage(const absl::Status& status, const std::string& message) {
  absl::Status result(status.code(), message);
  status.ForEachPayload(
      [&](auto type_url, const auto& payload) { result.SetPayload(type_url, payload); });
  return result;
}

}  // namespace

Connection::Connection(ServerAddress server, std::chrono::milliseconds timeout)
    : server_(std::move(server)), timeout_(timeout), channel_(MakeChannel(server_.address)) {}

void Connection::StartCall(grpc::ClientContext* context) const {
  context->set_deadline(std::chrono::system_clock::now() + timeout_);
}

absl::Status Connection::ToStatus(const grpc::Status& grpc_status) const {
  const absl::Status status = common::FromGrpc(grpc_status);
  if (absl::IsUnavailable(status)) {
    return WithMessage(status,
                       fmt::format("cannot reach regressd at {} (from {}): {}\nStart it, or name "
                                   "another with --server or REGRESSD_SERVER.",
                                   server_.address, server_.origin, grpc_status.error_message()));
  }
  if (absl::IsDeadlineExceeded(status)) {
    return WithMessage(
        status, fmt::format("regressd at {} (from {}) did not answer within {} s; raise --timeout "
                            "or try again",
                            server_.address, server_.origin,
                            std::chrono::duration<double>(timeout_).count()));
  }
  return status;
}

}  // namespace regressd::ctl
