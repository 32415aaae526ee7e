#include "services/query/run_streams.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "services/common/convert.h"
#include "services/query/handle.h"

namespace regressd::query {
namespace {

// A sample takes up to 56 bytes on the wire, a double 8.
constexpr std::size_t kSamplesPerMessage = 8192;
constexpr std::size_t kDoublesPerMessage = 65536;
constexpr std::size_t kStackBytesPerMessage = 512 << 10;

template <typename Response>
absl::Status Write(const Response& response, const grpc::ServerContext& context,
                   grpc::ServerWriter<Response>* writer) {
  if (const absl::Status status = CallStatus(context); !status.ok()) return status;
  if (!writer->Write(response)) return absl::CancelledError("the caller went away");
  return absl::OkStatus();
}

void ToProto(const storage::Sample& sample, model::MetricKind kind, v1::Sample* out) {
  common::ToProto(sample.time, out->mutable_sample_time());
  out->set_seq(sample.seq);
  if (sample.value) out->set_value(*sample.value);
  if (!sample.stored_int) return;
  // The store keeps the bit pattern; a running total is unsigned.
  out->set_exact_value(kind == model::MetricKind::kCounter
                           ? std::to_string(static_cast<std::uint64_t>(*sample.stored_int))
                           : std::to_string(*sample.stored_int));
}

}  // namespace

absl::Status WriteSamples(const storage::SamplePart& part, const grpc::ServerContext& context,
                          grpc::ServerWriter<v1::ReadSamplesResponse>* writer) {
  for (std::size_t begin = 0; begin < part.samples.size(); begin += kSamplesPerMessage) {
    const std::size_t end = std::min(part.samples.size(), begin + kSamplesPerMessage);
    v1::ReadSamplesResponse response;
    common::ToProto(part.metric, response.mutable_metric());
    response.set_source_id(part.source_id);
    for (std::size_t i = begin; i < end; ++i) {
      ToProto(part.samples[i], part.metric.kind, response.add_samples());
    }
    if (const auto status = Write(response, context, writer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status WriteStacks(const std::vector<storage::StackCount>& stacks,
                         const grpc::ServerContext& context,
                         grpc::ServerWriter<v1::ReadStacksResponse>* writer) {
  v1::ReadStacksResponse response;
  std::size_t size_bytes = 0;
  for (const storage::StackCount& stack : stacks) {
    v1::StackCount* added = response.add_stacks();
    added->set_event(stack.event);
    added->set_folded(stack.folded);
    added->set_count(stack.count);
    size_bytes += added->ByteSizeLong();
    if (size_bytes < kStackBytesPerMessage) continue;
    if (const auto status = Write(response, context, writer); !status.ok()) return status;
    response.Clear();
    size_bytes = 0;
  }
  return response.stacks().empty() ? absl::OkStatus() : Write(response, context, writer);
}

absl::Status WriteObservations(const model::Metric& metric, const std::vector<double>& values,
                               const grpc::ServerContext& context,
                               grpc::ServerWriter<v1::ReadObservationsResponse>* writer) {
  for (std::size_t begin = 0; begin < values.size(); begin += kDoublesPerMessage) {
    const std::size_t end = std::min(values.size(), begin + kDoublesPerMessage);
    v1::ReadObservationsResponse response;
    common::ToProto(metric, response.mutable_metric());
    response.mutable_values()->Add(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                   values.begin() + static_cast<std::ptrdiff_t>(end));
    if (const auto status = Write(response, context, writer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace regressd::query
