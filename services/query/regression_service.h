#pragma once

#include "regressd/v1/regression_service.grpc.pb.h"
#include "services/auth/grpc_credentials.h"
#include "services/query/regression_feed.h"
#include "storage/commit_store.h"
#include "storage/regression_store.h"

namespace regressd::query {

/// Lists, follows and curates regressions over gRPC. Thread-safe.
class RegressionServiceImpl : public v1::RegressionService::Service {
 public:
  RegressionServiceImpl(storage::RegressionStore& regressions, storage::CommitStore& commits,
                        RegressionFeed& feed, const auth::Authorizer& authorizer)
      : regressions_(regressions), commits_(commits), feed_(feed), guard_(authorizer) {}

  grpc::Status ListRegressions(grpc::ServerContext* context,
                               const v1::ListRegressionsRequest* request,
                               v1::ListRegressionsResponse* response) override;
  grpc::Status GetRegression(grpc::ServerContext* context, const v1::GetRegressionRequest* request,
                             v1::GetRegressionResponse* response) override;
  grpc::Status SetRegressionState(grpc::ServerContext* context,
                                  const v1::SetRegressionStateRequest* request,
                                  v1::SetRegressionStateResponse* response) override;
  /// Keeps one of the server's threads for each watcher: RegressionFeed bounds them.
  grpc::Status WatchRegressions(grpc::ServerContext* context,
                                const v1::WatchRegressionsRequest* request,
                                grpc::ServerWriter<v1::WatchRegressionsResponse>* writer) override;

 private:
  storage::RegressionStore& regressions_;
  storage::CommitStore& commits_;
  RegressionFeed& feed_;
  auth::Guard guard_;
};

}  // namespace regressd::query
