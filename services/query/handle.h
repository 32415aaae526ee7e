#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "services/auth/grpc_credentials.h"
#include "services/common/call_deadline.h"
#include "services/common/grpc_status.h"

namespace regressd::query {

/// Why a call should stop working: Cancelled or DeadlineExceeded; OK while somebody waits for it.
inline absl::Status CallStatus(const grpc::ServerContext& context) {
  if (std::chrono::system_clock::now() >= context.deadline()) {
    return absl::DeadlineExceededError("the call's deadline has passed");
  }
  if (context.IsCancelled()) return absl::CancelledError("the caller went away");
  return absl::OkStatus();
}

/// The frame of every handler: asks whether the caller may, bounds what stands below by the call's
/// deadline, and turns the outcome of `work(caller)` into gRPC's.
template <typename Work>
grpc::Status Handle(const auth::Guard& guard, const grpc::ServerContext& context,
                    std::string_view method, Work&& work) {
  const absl::StatusOr<auth::Caller> caller = guard.Admit(context, method);
  if (!caller.ok()) return common::ToGrpc(caller.status());
  if (const absl::Status status = CallStatus(context); !status.ok()) return common::ToGrpc(status);
  const common::CallDeadline deadline(context.deadline());
  return common::ToGrpc(std::forward<Work>(work)(*caller));
}

}  // namespace regressd::query
