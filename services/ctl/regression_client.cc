#include "services/ctl/regression_client.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "regressd/v1/regression_service.grpc.pb.h"
#include "regressd/v1/report_service.grpc.pb.h"
#include "services/common/convert.h"

namespace regressd::ctl {
namespace {

constexpr std::int32_t kPageSize = 500;

std::string NameOf(std::int64_t id) { return fmt::format("regression {}", id); }

absl::StatusOr<model::Regression> ReadOne(const v1::Regression& regression) {
  absl::StatusOr<model::Regression> converted = common::FromProto(regression);
  if (!converted.ok()) return Unreadable(NameOf(regression.regression_id()), converted.status());
  return converted;
}

}  // namespace

/// The call that CancelWatch ends.
struct RegressionClient::WatchCall {
  std::mutex mutex;
  grpc::ClientContext* context = nullptr;  ///< Guarded by mutex.
  bool cancelled = false;                  ///< Guarded by mutex.
};

RegressionClient::RegressionClient(const Connection& connection, Skipped skipped)
    : connection_(connection),
      skipped_(std::move(skipped)),
      watch_(std::make_unique<WatchCall>()) {}

RegressionClient::~RegressionClient() = default;

absl::StatusOr<std::vector<model::Regression>> RegressionClient::List(const RegressionQuery& query,
                                                                      std::int32_t limit) const {
  const auto stub = v1::RegressionService::NewStub(connection_.channel());
  v1::ListRegressionsRequest request;
  for (const model::RegressionState state : query.states) {
    request.add_states(common::ToProto(state));
  }
  common::ToProto(query.axes, request.mutable_axes());
  request.set_head_commit(query.head_commit);
  request.set_page_size(std::min(limit, kPageSize));
  std::vector<model::Regression> regressions;
  std::int32_t count = 0;
  while (true) {
    grpc::ClientContext context;
    connection_.StartCall(&context);
    v1::ListRegressionsResponse response;
    const grpc::Status status = stub->ListRegressions(&context, request, &response);
    if (!status.ok()) return connection_.ToStatus(status);
    for (const v1::Regression& regression : response.regressions()) {
      absl::StatusOr<model::Regression> converted = common::FromProto(regression);
      if (converted.ok()) {
        regressions.push_back(*std::move(converted));
      } else {
        skipped_(NameOf(regression.regression_id()), converted.status());
      }
      if (++count == limit) return regressions;
    }
    for (const v1::Unreadable& row : response.unreadable()) {
      skipped_(row.name(), absl::InternalError(row.reason()));
      if (++count == limit) return regressions;
    }
    if (response.next_page_token().empty()) return regressions;
    request.set_page_token(response.next_page_token());
  }
}

absl::StatusOr<RegressionHistory> RegressionClient::Get(std::int64_t id) const {
  const auto stub = v1::RegressionService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::GetRegressionRequest request;
  request.set_regression_id(id);
  v1::GetRegressionResponse response;
  const grpc::Status status = stub->GetRegression(&context, request, &response);
  if (!status.ok()) return connection_.ToStatus(status);
  absl::StatusOr<model::Regression> regression = ReadOne(response.regression());
  if (!regression.ok()) return regression.status();
  RegressionHistory history{.regression = *std::move(regression), .events = {}};
  for (const v1::RegressionEvent& event : response.events()) {
    absl::StatusOr<model::RegressionEvent> converted = common::FromProto(event);
    if (converted.ok()) {
      history.events.push_back(*std::move(converted));
    } else {
      skipped_(fmt::format("event {} of {}", event.event_id(), NameOf(id)), converted.status());
    }
  }
  return history;
}

absl::StatusOr<model::Regression> RegressionClient::SetState(std::int64_t id,
                                                             model::RegressionState state,
                                                             const std::string& comment) const {
  const auto stub = v1::RegressionService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::SetRegressionStateRequest request;
  request.set_regression_id(id);
  request.set_state(common::ToProto(state));
  request.set_comment(comment);
  v1::SetRegressionStateResponse response;
  const grpc::Status status = stub->SetRegressionState(&context, request, &response);
  if (!status.ok()) return connection_.ToStatus(status);
  return ReadOne(response.regression());
}

absl::StatusOr<report::Mail> RegressionClient::Report(std::int64_t id) const {
  const auto stub = v1::ReportService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::RenderReportRequest request;
  request.set_regression_id(id);
  v1::RenderReportResponse response;
  const grpc::Status status = stub->RenderReport(&context, request, &response);
  if (!status.ok()) return connection_.ToStatus(status);
  return report::Mail{.subject = response.subject(),
                      .message_id = response.message_id(),
                      .body = response.body(),
                      .rfc5322 = response.rfc5322()};
}

absl::Status RegressionClient::Watch(
    std::optional<std::int64_t> after_event_id, const std::function<void()>& standing,
    const std::function<bool(const model::RegressionEvent&, const model::Regression&)>& take) {
  const auto stub = v1::RegressionService::NewStub(connection_.channel());
  // No deadline: a watch lasts as long as somebody wants to hear; keepalive finds a dead link.
  grpc::ClientContext context;
  {
    const std::lock_guard lock(watch_->mutex);
    if (watch_->cancelled) return absl::OkStatus();
    watch_->context = &context;
  }
  v1::WatchRegressionsRequest request;
  request.set_after_event_id(after_event_id.value_or(0));
  request.set_from_beginning(after_event_id == 0);
  const auto reader = stub->WatchRegressions(&context, request);
  bool stopped = false;
  v1::WatchRegressionsResponse response;
  while (!stopped && reader->Read(&response)) {
    if (!response.has_event()) {
      standing();
      continue;
    }
    if (response.has_unreadable()) {
      skipped_(response.unreadable().name(), absl::InternalError(response.unreadable().reason()));
      continue;
    }
    const absl::StatusOr<model::RegressionEvent> event = common::FromProto(response.event());
    const absl::StatusOr<model::Regression> regression = common::FromProto(response.regression());
    if (event.ok() && regression.ok()) {
      stopped = !take(*event, *regression);
    } else {
      skipped_(fmt::format("event {} of {}", response.event().event_id(),
                           NameOf(response.event().regression_id())),
               event.ok() ? regression.status() : event.status());
    }
  }
  if (stopped) context.TryCancel();
  const grpc::Status status = reader->Finish();
  const std::lock_guard lock(watch_->mutex);
  watch_->context = nullptr;
  return stopped || watch_->cancelled ? absl::OkStatus() : connection_.ToStatus(status);
}

void RegressionClient::CancelWatch() {
  const std::lock_guard lock(watch_->mutex);
  watch_->cancelled = true;
  if (watch_->context != nullptr) watch_->context->TryCancel();
}

}  // namespace regressd::ctl
