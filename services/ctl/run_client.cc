#include "services/ctl/run_client.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "regressd/v1/run_service.grpc.pb.h"
#include "services/common/convert.h"

namespace regressd::ctl {
namespace {

constexpr std::int32_t kPageSize = 500;

// Reads a stream to its end, or until `take` returns false.
template <typename Response, typename Take>
absl::Status ReadAll(const Connection& connection, grpc::ClientContext* context,
                     grpc::ClientReader<Response>* reader, const Take& take) {
  Response response;
  while (reader->Read(&response)) {
    const absl::StatusOr<bool> go_on = take(response);
    if (go_on.ok() && *go_on) continue;
    context->TryCancel();
    reader->Finish();
    return go_on.status();
  }
  return connection.ToStatus(reader->Finish());
}

absl::StatusOr<Sample> SampleOf(const v1::Sample& sample) {
  const absl::StatusOr<model::Time> time = common::FromProto(sample.sample_time(), "sample_time");
  if (!time.ok()) return time.status();
  return Sample{.time = *time,
                .value = sample.has_value() ? std::optional(sample.value()) : std::nullopt,
                .exact_value = sample.exact_value()};
}

}  // namespace

absl::StatusOr<model::Run> RunClient::Get(const std::string& run) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::GetRunRequest request;
  request.set_run_uuid(run);
  v1::GetRunResponse response;
  const grpc::Status status = stub->GetRun(&context, request, &response);
  if (!status.ok()) return connection_.ToStatus(status);
  absl::StatusOr<model::Run> converted = common::FromProto(response.run());
  if (!converted.ok()) return Unreadable("run " + run, converted.status());
  return converted;
}

absl::StatusOr<std::vector<model::Run>> RunClient::List(const RunQuery& query,
                                                        std::int32_t limit) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  v1::ListRunsRequest request;
  common::ToProto(query.axes, request.mutable_axes());
  request.set_commit(query.commit);
  request.set_testbox(query.testbox);
  if (query.state) request.set_state(common::ToProto(*query.state));
  request.set_page_size(std::min(limit, kPageSize));
  std::vector<model::Run> runs;
  std::int32_t count = 0;
  while (true) {
    grpc::ClientContext context;
    connection_.StartCall(&context);
    v1::ListRunsResponse response;
    const grpc::Status status = stub->ListRuns(&context, request, &response);
    if (!status.ok()) return connection_.ToStatus(status);
    for (const v1::Run& run : response.runs()) {
      absl::StatusOr<model::Run> converted = common::FromProto(run);
      if (converted.ok()) {
        runs.push_back(*std::move(converted));
      } else {
        skipped_("run " + run.spec().run_uuid(), converted.status());
      }
      if (++count == limit) return runs;
    }
    for (const v1::Unreadable& row : response.unreadable()) {
      skipped_(row.name(), absl::InternalError(row.reason()));
      if (++count == limit) return runs;
    }
    if (response.next_page_token().empty()) return runs;
    request.set_page_token(response.next_page_token());
  }
}

absl::StatusOr<std::vector<RunValue>> RunClient::ListValues(const std::string& run,
                                                            const std::string& metric_regex) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  v1::ListRunValuesRequest request;
  request.set_run_uuid(run);
  request.set_metric_regex(metric_regex);
  std::vector<RunValue> values;
  while (true) {
    grpc::ClientContext context;
    connection_.StartCall(&context);
    v1::ListRunValuesResponse response;
    const grpc::Status status = stub->ListRunValues(&context, request, &response);
    if (!status.ok()) return connection_.ToStatus(status);
    for (const v1::RunValue& value : response.values()) {
      absl::StatusOr<model::Metric> metric = common::FromProto(value.metric());
      if (!metric.ok()) {
        skipped_(fmt::format("metric \"{}\" of run {}", value.metric().name(), run),
                 metric.status());
        continue;
      }
      values.push_back({.metric = *std::move(metric),
                        .value = value.value(),
                        .sample_count = value.sample_count()});
    }
    for (const v1::Unreadable& row : response.unreadable()) {
      skipped_(fmt::format("{} of run {}", row.name(), run), absl::InternalError(row.reason()));
    }
    if (response.next_page_token().empty()) return values;
    request.set_page_token(response.next_page_token());
  }
}

absl::Status RunClient::ReadSamples(
    const std::string& run, const std::vector<std::string>& metrics,
    const std::function<bool(const model::Metric&, const std::vector<Sample>&)>& take) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::ReadSamplesRequest request;
  request.set_run_uuid(run);
  request.mutable_metrics()->Add(metrics.begin(), metrics.end());
  const auto reader = stub->ReadSamples(&context, request);
  return ReadAll(connection_, &context, reader.get(),
                 [&](const v1::ReadSamplesResponse& part) -> absl::StatusOr<bool> {
                   const absl::StatusOr<model::Metric> metric = common::FromProto(part.metric());
                   if (!metric.ok()) {
                     skipped_(fmt::format("a part of the samples of \"{}\"", part.metric().name()),
                              metric.status());
                     return true;
                   }
                   std::vector<Sample> samples;
                   for (const v1::Sample& sample : part.samples()) {
                     absl::StatusOr<Sample> converted = SampleOf(sample);
                     if (converted.ok()) {
                       samples.push_back(*std::move(converted));
                     } else {
                       skipped_(fmt::format("a sample of \"{}\"", metric->name),
                                converted.status());
                     }
                   }
                   return take(*metric, samples);
                 });
}

absl::Status RunClient::ReadStacks(const std::string& run,
                                   const std::function<bool(StackCount)>& take) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::ReadStacksRequest request;
  request.set_run_uuid(run);
  const auto reader = stub->ReadStacks(&context, request);
  return ReadAll(
      connection_, &context, reader.get(),
      [&](const v1::ReadStacksResponse& part) -> absl::StatusOr<bool> {
        for (const v1::StackCount& stack : part.stacks()) {
          if (!take({.event = stack.event(), .folded = stack.folded(), .count = stack.count()})) {
            return false;
          }
        }
        return true;
      });
}

absl::Status RunClient::ReadObservations(
    const std::string& run, const std::string& metric,
    const std::function<bool(const std::vector<double>&)>& take) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::ReadObservationsRequest request;
  request.set_run_uuid(run);
  request.set_metric(metric);
  const auto reader = stub->ReadObservations(&context, request);
  return ReadAll(connection_, &context, reader.get(),
                 [&](const v1::ReadObservationsResponse& part) -> absl::StatusOr<bool> {
                   return take({part.values().begin(), part.values().end()});
                 });
}

absl::StatusOr<bool> RunClient::Exclude(const std::string& run, const std::string& reason) const {
  const auto stub = v1::RunService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::ExcludeRunRequest request;
  request.set_run_uuid(run);
  request.set_reason(reason);
  v1::ExcludeRunResponse response;
  const grpc::Status status = stub->ExcludeRun(&context, request, &response);
  if (!status.ok()) return connection_.ToStatus(status);
  return response.already_excluded();
}

}  // namespace regressd::ctl
