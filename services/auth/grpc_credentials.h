#pragma once

#include <grpcpp/server_context.h>

#include <string_view>

#include "absl/status/statusor.h"
#include "services/auth/authorizer.h"

/// What ties rights to gRPC. Only the implementations of services include it.
namespace regressd::auth {

/// The token of "authorization: Bearer ..." and the peer.
Credentials CredentialsOf(const grpc::ServerContextBase& context);

/// The first thing that every rpc asks. Thread-safe; the authorizer must outlive it.
class Guard {
 public:
  explicit Guard(const Authorizer& authorizer) : authorizer_(authorizer) {}

  /// Who calls `method` ("/regressd.v1.RunService/GetRun"). Errors: those of Authorizer.
  absl::StatusOr<Caller> Admit(const grpc::ServerContextBase& context,
                               std::string_view method) const {
    return authorizer_.Authorize(method, CredentialsOf(context));
  }

 private:
  const Authorizer& authorizer_;
};

}  // namespace regressd::auth
