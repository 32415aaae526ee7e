#include "services/query/run_service.h"

#include <utility>
#include <vector>

#include "services/common/convert.h"
#include "services/common/field_checks.h"
#include "services/query/fill_list.h"
#include "services/query/handle.h"
#include "services/query/metric_filter.h"
#include "services/query/paging.h"
#include "services/query/run_requests.h"
#include "services/query/run_streams.h"

namespace regressd::query {
namespace {

constexpr PageLimits kRunPages{.default_size = 100, .max_size = 1000};
constexpr PageLimits kValuePages{.default_size = 1000, .max_size = 10000};
constexpr std::size_t kMaxReasonBytes = 4096;

absl::StatusOr<std::optional<storage::RunPosition>> PositionOf(const Page& page) {
  if (page.position.empty()) return std::optional<storage::RunPosition>();
  const auto micros = PositionNumber(page.position[0]);
  if (!micros.ok()) return micros.status();
  const auto run_id = PositionNumber(page.position[1]);
  if (!run_id.ok()) return run_id.status();
  return storage::RunPosition{model::Time(std::chrono::microseconds(*micros)), *run_id};
}

void FillRuns(const Page& page, const std::vector<storage::ListedRun>& runs,
              v1::ListRunsResponse* out) {
  const auto encode = [](const model::Run& run, v1::Run* message) {
    common::ToProto(run, message);
  };
  const auto last = FillList(page, runs, encode, out->mutable_runs(), out->mutable_unreadable());
  if (!last) return;
  const storage::RunPosition& position = runs[*last].position;
  out->set_next_page_token(
      NextPageToken(page, {std::to_string(position.create_time.time_since_epoch().count()),
                           std::to_string(position.run_id)}));
}

void ToProto(const storage::RunValue& value, v1::RunValue* out) {
  common::ToProto(value.metric, out->mutable_metric());
  out->set_value(value.value);
  out->set_sample_count(value.sample_count);
}

void FillValues(const Page& page, const MetricFilter& filter,
                std::vector<storage::ListedRunValue> values, v1::ListRunValuesResponse* out) {
  std::erase_if(values, [&](const storage::ListedRunValue& value) {
    const bool is_before = !page.position.empty() && value.position <= page.position[0];
    return is_before || !filter.Takes(value.position);
  });
  const auto encode = [](const storage::RunValue& value, v1::RunValue* message) {
    ToProto(value, message);
  };
  const auto last =
      FillList(page, values, encode, out->mutable_values(), out->mutable_unreadable());
  if (last) out->set_next_page_token(NextPageToken(page, {values[*last].position}));
}

absl::StatusOr<std::int64_t> RunIdOf(storage::RunStore& runs, const std::string& uuid) {
  const absl::StatusOr<model::Run> run = runs.GetRun(uuid);
  if (!run.ok()) return run.status();
  return run->spec.key.run_id;
}

}  // namespace

grpc::Status RunServiceImpl::GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                                    v1::GetRunResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const absl::StatusOr<model::Run> run = runs_.GetRun(request->run_uuid());
    if (!run.ok()) return run.status();
    common::ToProto(*run, response->mutable_run());
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/GetRun", work);
}

grpc::Status RunServiceImpl::ListRuns(grpc::ServerContext* context,
                                      const v1::ListRunsRequest* request,
                                      v1::ListRunsResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto page = PageOf(*request, kRunPages, 2);
    if (!page.ok()) return page.status();
    const auto after = PositionOf(*page);
    if (!after.ok()) return after.status();
    const auto filter = FromProto(*request, commits_);
    if (!filter.ok()) return filter.status();
    const auto runs = runs_.ListRuns(*filter, *after, page->size + 1);
    if (!runs.ok()) return runs.status();
    FillRuns(*page, *runs, response);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/ListRuns", work);
}

grpc::Status RunServiceImpl::ListRunValues(grpc::ServerContext* context,
                                           const v1::ListRunValuesRequest* request,
                                           v1::ListRunValuesResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto page = PageOf(*request, kValuePages, 1);
    if (!page.ok()) return page.status();
    const auto filter = MetricFilter::Make(request->metric_regex(), "metric_regex");
    if (!filter.ok()) return filter.status();
    const auto run_id = RunIdOf(runs_, request->run_uuid());
    if (!run_id.ok()) return run_id.status();
    auto values = runs_.ListRunValues(*run_id);
    if (!values.ok()) return values.status();
    FillValues(*page, *filter, *std::move(values), response);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/ListRunValues", work);
}

grpc::Status RunServiceImpl::ReadSamples(grpc::ServerContext* context,
                                         const v1::ReadSamplesRequest* request,
                                         grpc::ServerWriter<v1::ReadSamplesResponse>* writer) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto query = FromProto(*request);
    if (!query.ok()) return query.status();
    const auto run_id = RunIdOf(runs_, request->run_uuid());
    if (!run_id.ok()) return run_id.status();
    return runs_.ReadSamples(
        *run_id, query->metrics, query->range,
        [&](const storage::SamplePart& part) { return WriteSamples(part, *context, writer); });
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/ReadSamples", work);
}

grpc::Status RunServiceImpl::ReadStacks(grpc::ServerContext* context,
                                        const v1::ReadStacksRequest* request,
                                        grpc::ServerWriter<v1::ReadStacksResponse>* writer) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto range = FromProto(*request);
    if (!range.ok()) return range.status();
    const auto run_id = RunIdOf(runs_, request->run_uuid());
    if (!run_id.ok()) return run_id.status();
    const auto stacks = runs_.ReadStacks(*run_id, *range);
    if (!stacks.ok()) return stacks.status();
    return WriteStacks(*stacks, *context, writer);
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/ReadStacks", work);
}

grpc::Status RunServiceImpl::ReadObservations(
    grpc::ServerContext* context, const v1::ReadObservationsRequest* request,
    grpc::ServerWriter<v1::ReadObservationsResponse>* writer) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto run_id = RunIdOf(runs_, request->run_uuid());
    if (!run_id.ok()) return run_id.status();
    return runs_.ReadObservations(
        *run_id, request->metric(),
        [&](const model::Metric& metric, const std::vector<double>& values) {
          return WriteObservations(metric, values, *context, writer);
        });
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/ReadObservations", work);
}

grpc::Status RunServiceImpl::ExcludeRun(grpc::ServerContext* context,
                                        const v1::ExcludeRunRequest* request,
                                        v1::ExcludeRunResponse* response) {
  const auto work = [&](const auth::Caller& caller) -> absl::Status {
    common::FieldChecks checks("");
    checks.Name("reason", request->reason(), kMaxReasonBytes);
    if (!checks.ok()) return checks.status();
    const auto run_id = RunIdOf(runs_, request->run_uuid());
    if (!run_id.ok()) return run_id.status();
    const auto outcome = runs_.Exclude(*run_id, request->reason(), caller.name);
    if (!outcome.ok()) return outcome.status();
    response->set_already_excluded(*outcome == storage::ExcludeOutcome::kAlreadyExcluded);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.RunService/ExcludeRun", work);
}

}  // namespace regressd::query
