#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace regressd::common {

/// The same code and message; a status payload of ours travels as google.rpc.Status in
/// grpc-status-details-bin. RESOURCE_EXHAUSTED and UNAVAILABLE get a RetryInfo of one second.
grpc::Status ToGrpc(const absl::Status& status);

/// The inverse, for clients. Field violations of the details that the message does not name are
/// appended, one a line.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace regressd::common
