#pragma once

#include "regressd/v1/report_service.grpc.pb.h"
#include "services/auth/grpc_credentials.h"
#include "services/query/comparer.h"
#include "services/report/render_mail.h"
#include "storage/regression_store.h"

namespace regressd::query {

/// Renders reports over gRPC. Thread-safe.
class ReportServiceImpl : public v1::ReportService::Service {
 public:
  ReportServiceImpl(storage::RegressionStore& regressions, const Comparer& comparer,
                    report::MailOptions options, const auth::Authorizer& authorizer)
      : regressions_(regressions),
        comparer_(comparer),
        options_(std::move(options)),
        guard_(authorizer) {}

  grpc::Status RenderReport(grpc::ServerContext* context, const v1::RenderReportRequest* request,
                            v1::RenderReportResponse* response) override;

 private:
  storage::RegressionStore& regressions_;
  const Comparer& comparer_;
  const report::MailOptions options_;
  auth::Guard guard_;
};

}  // namespace regressd::query
