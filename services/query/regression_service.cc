#include "services/query/regression_service.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "services/common/convert.h"
#include "services/common/field_checks.h"
#include "services/query/fill_list.h"
#include "services/query/handle.h"
#include "services/query/paging.h"
#include "services/query/run_requests.h"

namespace regressd::query {
namespace {

constexpr PageLimits kPages{.default_size = 100, .max_size = 1000};
constexpr std::size_t kMaxNameBytes = 2048;
constexpr std::size_t kMaxCommentBytes = 65536;
constexpr int kMaxStates = 100;
// How soon a watch notices that nobody listens any more.
constexpr std::chrono::milliseconds kPatience{200};

absl::StatusOr<storage::RegressionFilter> FilterOf(const v1::ListRegressionsRequest& request,
                                                   storage::CommitStore& commits) {
  common::FieldChecks checks("");
  storage::RegressionFilter filter;
  checks.Count("states", request.states_size(), kMaxStates);
  for (int i = 0; i < request.states_size() && checks.ok(); ++i) {
    const std::string field = common::IndexPath("states", i);
    const auto state = common::FromProto(request.states(i), field);
    checks.Merge(field, state.status());
    if (state.ok()) filter.states.push_back(*state);
  }
  auto axes = common::FromProto(request.axes(), "axes");
  checks.Merge("axes", axes.status());
  if (axes.ok()) filter.axes = *std::move(axes);
  checks.Line("head_commit", request.head_commit(), kMaxNameBytes);
  if (!checks.ok()) return checks.status();
  if (!request.head_commit().empty()) {
    auto commit_id = ResolveFilter(commits, request.head_commit(), "head_commit");
    if (!commit_id.ok()) return commit_id.status();
    filter.head_commit_id = *std::move(commit_id);
  }
  return filter;
}

absl::StatusOr<std::optional<storage::RegressionPosition>> PositionOf(const Page& page) {
  if (page.position.empty()) return std::optional<storage::RegressionPosition>();
  const auto micros = PositionNumber(page.position[0]);
  if (!micros.ok()) return micros.status();
  const auto regression_id = PositionNumber(page.position[1]);
  if (!regression_id.ok()) return regression_id.status();
  return storage::RegressionPosition{model::Time(std::chrono::microseconds(*micros)),
                                     *regression_id};
}

void Fill(const Page& page, const std::vector<storage::ListedRegression>& regressions,
          v1::ListRegressionsResponse* out) {
  const auto encode = [](const model::Regression& regression, v1::Regression* message) {
    common::ToProto(regression, message);
  };
  const auto last =
      FillList(page, regressions, encode, out->mutable_regressions(), out->mutable_unreadable());
  if (!last) return;
  const storage::RegressionPosition& position = regressions[*last].position;
  out->set_next_page_token(
      NextPageToken(page, {std::to_string(position.create_time.time_since_epoch().count()),
                           std::to_string(position.regression_id)}));
}

struct StateChange {
  model::RegressionState state = model::RegressionState::kNew;
  std::optional<std::int64_t> expected_version;
};

absl::StatusOr<StateChange> FromProto(const v1::SetRegressionStateRequest& request) {
  common::FieldChecks checks("");
  StateChange change;
  const auto state = common::FromProto(request.state(), "state");
  checks.Merge("state", state.status());
  if (state.ok()) change.state = *state;
  if (state.ok() && !model::IsSettable(*state)) {
    checks.Fail("state",
                fmt::format("{} is set by the worker alone; set confirmed, acknowledged, fixed, "
                            "environment or false_positive",
                            model::ToString(*state)));
  }
  checks.Text("comment", request.comment(), kMaxCommentBytes);
  if (!request.etag().empty()) {
    const auto version = common::VersionOf(request.etag(), "etag");
    checks.Merge("etag", version.status());
    if (version.ok()) change.expected_version = *version;
  }
  if (!checks.ok()) return checks.status();
  return change;
}

absl::Status SendChanges(RegressionFeed::Watch& watch, const grpc::ServerContext& context,
                         grpc::ServerWriter<v1::WatchRegressionsResponse>* writer) {
  const auto changes = watch.Next(kPatience);
  if (!changes.ok()) return changes.status();
  for (const storage::ListedChange& change : *changes) {
    v1::WatchRegressionsResponse response;
    if (change.noun.ok()) {
      common::ToProto(change.noun->event, response.mutable_event());
      common::ToProto(change.noun->regression, response.mutable_regression());
    } else {
      response.mutable_event()->set_event_id(change.position);
      response.mutable_unreadable()->set_name(change.name);
      response.mutable_unreadable()->set_reason(std::string(change.noun.status().message()));
    }
    if (!writer->Write(response)) return absl::CancelledError("the caller went away");
  }
  return CallStatus(context);
}

}  // namespace

grpc::Status RegressionServiceImpl::ListRegressions(grpc::ServerContext* context,
                                                    const v1::ListRegressionsRequest* request,
                                                    v1::ListRegressionsResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto page = PageOf(*request, kPages, 2);
    if (!page.ok()) return page.status();
    const auto after = PositionOf(*page);
    if (!after.ok()) return after.status();
    const auto filter = FilterOf(*request, commits_);
    if (!filter.ok()) return filter.status();
    const auto regressions = regressions_.ListRegressions(*filter, *after, page->size + 1);
    if (!regressions.ok()) return regressions.status();
    Fill(*page, *regressions, response);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RegressionService/ListRegressions", work);
}

grpc::Status RegressionServiceImpl::GetRegression(grpc::ServerContext* context,
                                                  const v1::GetRegressionRequest* request,
                                                  v1::GetRegressionResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto found = regressions_.GetRegression(request->regression_id());
    if (!found.ok()) return found.status();
    common::ToProto(found->regression, response->mutable_regression());
    for (const model::RegressionEvent& event : found->events) {
      common::ToProto(event, response->add_events());
    }
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RegressionService/GetRegression", work);
}

grpc::Status RegressionServiceImpl::SetRegressionState(grpc::ServerContext* context,
                                                       const v1::SetRegressionStateRequest* request,
                                                       v1::SetRegressionStateResponse* response) {
  const auto work = [&](const auth::Caller& caller) -> absl::Status {
    const auto change = FromProto(*request);
    if (!change.ok()) return change.status();
    const auto regression =
        regressions_.SetState(request->regression_id(), change->state, request->comment(),
                              caller.name, change->expected_version);
    if (!regression.ok()) return regression.status();
    common::ToProto(*regression, response->mutable_regression());
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RegressionService/SetRegressionState", work);
}

grpc::Status RegressionServiceImpl::WatchRegressions(
    grpc::ServerContext* context, const v1::WatchRegressionsRequest* request,
    grpc::ServerWriter<v1::WatchRegressionsResponse>* writer) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    if (request->after_event_id() < 0) {
      return common::InvalidField("after_event_id", "is negative; 0 watches from now on");
    }
    if (request->from_beginning() && request->after_event_id() != 0) {
      return common::InvalidField("after_event_id",
                                  "is given together with from_beginning; give one of them");
    }
    const bool from_now = request->after_event_id() == 0 && !request->from_beginning();
    const auto watch =
        feed_.Open(from_now ? std::nullopt : std::optional(request->after_event_id()));
    if (!watch.ok()) return watch.status();
    // Empty: from here on no change is missed.
    if (!writer->Write({})) return absl::CancelledError("the caller went away");
    absl::Status status;
    while (status.ok()) status = SendChanges(**watch, *context, writer);
    return status;
  };
  return Handle(guard_, *context, "/regressd.v1.RegressionService/WatchRegressions", work);
}

}  // namespace regressd::query
