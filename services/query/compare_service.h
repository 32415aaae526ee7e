#pragma once

#include "regressd/v1/compare_service.grpc.pb.h"
#include "services/auth/grpc_credentials.h"
#include "services/query/comparer.h"

namespace regressd::query {

/// Comparisons over gRPC. Thread-safe.
class CompareServiceImpl : public v1::CompareService::Service {
 public:
  CompareServiceImpl(const Comparer& comparer, const auth::Authorizer& authorizer)
      : comparer_(comparer), guard_(authorizer) {}

  grpc::Status Compare(grpc::ServerContext* context, const v1::CompareRequest* request,
                       v1::CompareResponse* response) override;

 private:
  const Comparer& comparer_;
  auth::Guard guard_;
};

}  // namespace regressd::query
