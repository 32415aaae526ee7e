#pragma once

#include "regressd/v1/run_service.grpc.pb.h"
#include "services/auth/grpc_credentials.h"
#include "storage/commit_store.h"
#include "storage/run_store.h"

namespace regressd::query {

/// Reads and curates runs over gRPC. Thread-safe.
class RunServiceImpl : public v1::RunService::Service {
 public:
  RunServiceImpl(storage::RunStore& runs, storage::CommitStore& commits,
                 const auth::Authorizer& authorizer)
      : runs_(runs), commits_(commits), guard_(authorizer) {}

  grpc::Status GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                      v1::GetRunResponse* response) override;
  grpc::Status ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest* request,
                        v1::ListRunsResponse* response) override;
  grpc::Status ListRunValues(grpc::ServerContext* context, const v1::ListRunValuesRequest* request,
                             v1::ListRunValuesResponse* response) override;
  grpc::Status ReadSamples(grpc::ServerContext* context, const v1::ReadSamplesRequest* request,
                           grpc::ServerWriter<v1::ReadSamplesResponse>* writer) override;
  grpc::Status ReadStacks(grpc::ServerContext* context, const v1::ReadStacksRequest* request,
                          grpc::ServerWriter<v1::ReadStacksResponse>* writer) override;
  grpc::Status ReadObservations(grpc::ServerContext* context,
                                const v1::ReadObservationsRequest* request,
                                grpc::ServerWriter<v1::ReadObservationsResponse>* writer) override;
  grpc::Status ExcludeRun(grpc::ServerContext* context, const v1::ExcludeRunRequest* request,
                          v1::ExcludeRunResponse* response) override;

 private:
  storage::RunStore& runs_;
  storage::CommitStore& commits_;
  auth::Guard guard_;
};

}  // namespace regressd::query
