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
    report::MailOptions options = options_;
    // The first column is the regression's base, the last one its head; BlockOf gives none without
    // runs.
    const auto base_run = runs_.GetRun(block->columns.front().runs.front().uuid);
    if (!base_run.ok()) return base_run.status();
    options.base_job = base_run->spec.job_toml;
    const auto head_run = runs_.GetRun(block->columns.back().runs.front().uuid);
    if (!head_run.ok()) return head_run.status();
    options.head_command = head_run->spec.command;
    options.head_job = head_run->spec.job_toml;
    const report::Mail mail = report::RenderMail(found->regression, *block, options);
    response->set_subject(mail.subject);
    response->set_message_id(mail.message_id);
    response->set_body(mail.body);
    response->set_rfc5322(mail.rfc5322);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.ReportService/RenderReport", work);
}

}  // namespace regressd::query
