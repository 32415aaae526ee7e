#pragma once

#include "regressd/v1/commit_service.grpc.pb.h"
#include "services/auth/grpc_credentials.h"
#include "storage/commit_store.h"

namespace regressd::query {

/// Commits and how they follow each other, over gRPC. Thread-safe.
class CommitServiceImpl : public v1::CommitService::Service {
 public:
  CommitServiceImpl(storage::CommitStore& commits, const auth::Authorizer& authorizer)
      : commits_(commits), guard_(authorizer) {}

  grpc::Status AddCommits(grpc::ServerContext* context, const v1::AddCommitsRequest* request,
                          v1::AddCommitsResponse* response) override;
  grpc::Status GetCommit(grpc::ServerContext* context, const v1::GetCommitRequest* request,
                         v1::GetCommitResponse* response) override;
  grpc::Status ListCommits(grpc::ServerContext* context, const v1::ListCommitsRequest* request,
                           v1::ListCommitsResponse* response) override;

 private:
  storage::CommitStore& commits_;
  auth::Guard guard_;
};

}  // namespace regressd::query
