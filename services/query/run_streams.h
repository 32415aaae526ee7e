#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <vector>

#include "absl/status/status.h"
#include "regressd/v1/run_service.pb.h"
#include "storage/run_store.h"

namespace regressd::query {

/// Write... send data in messages of at most about 1 MiB, so that a reader's memory stays small and
/// it can show what came. Errors: Cancelled or DeadlineExceeded when nobody waits for the rest.
absl::Status WriteSamples(const storage::SamplePart& part, const grpc::ServerContext& context,
                          grpc::ServerWriter<v1::ReadSamplesResponse>* writer);
absl::Status WriteStacks(const std::vector<storage::StackCount>& stacks,
                         const grpc::ServerContext& context,
                         grpc::ServerWriter<v1::ReadStacksResponse>* writer);
absl::Status WriteObservations(const model::Metric& metric, const std::vector<double>& values,
                               const grpc::ServerContext& context,
                               grpc::ServerWriter<v1::ReadObservationsResponse>* writer);

}  // namespace regressd::query
