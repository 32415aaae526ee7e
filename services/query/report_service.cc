#include "services/query/report_service.h"

#include "services/query/handle.h"

namespace regressd::query {

grpc::Status ReportServiceImpl::RenderReport(grpc::ServerContext* context,
                                             const v1::RenderReportRequest* request,
                                             v1::RenderReportResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto found = regressions_.GetRegression(request->regression_id());
    if (!found.ok()) return found.status();
    const auto block = comparer_.BlockOf(found->regression);
    if (!block.ok()) return block.status();
    const report::Mail mail = report::RenderMail(found->regression, *block, options_);
    response->set_subject(mail.subject);
    response->set_message_id(mail.message_id);
    response->set_body(mail.body);
    response->set_rfc5322(mail.rfc5322);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.ReportService/RenderReport", work);
}

}  // namespace regressd::query
