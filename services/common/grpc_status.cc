#include "services/common/grpc_status.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "absl/strings/cord.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "services/common/error_details.h"
#include "services/common/text_check.h"

namespace regressd::common {
namespace {

// Trailers hold the message twice (as grpc-message, percent-encoded, and in the details, base64)
// and must stay below the 8 KiB of metadata that clients take.
constexpr std::size_t kMaxMessageBytes = 1000;
constexpr std::size_t kMaxDetailsBytes = 2500;

void AddDetail(std::string_view type_url, std::string value, google::rpc::Status* out) {
  if (out->ByteSizeLong() + value.size() > kMaxMessageBytes + kMaxDetailsBytes) return;
  google::protobuf::Any* detail = out->add_details();
  detail->set_type_url(std::string(type_url));
  detail->set_value(std::move(value));
}

void AddRetryInfo(google::rpc::Status* out) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(1);
  out->add_details()->PackFrom(retry);
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string message = ClampUtf8(std::string(status.message()), kMaxMessageBytes);

  google::rpc::Status wire;
  wire.set_code(static_cast<int>(code));
  wire.set_message(message);
  status.ForEachPayload([&](auto type_url, const absl::Cord& payload) {
    AddDetail({type_url.data(), type_url.size()}, std::string(payload), &wire);
  });
  if (code == grpc::StatusCode::RESOURCE_EXHAUSTED || code == grpc::StatusCode::UNAVAILABLE) {
    AddRetryInfo(&wire);
  }
  if (wire.details().empty()) return {code, message};
  return {code, message, wire.SerializeAsString()};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  google::rpc::Status wire;
  if (!wire.ParseFromString(status.error_details())) wire.Clear();

  absl::Status bare(code, "");
  for (const auto& detail : wire.details()) {
    bare.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  std::string message = status.error_message();
  for (const FieldViolation& violation : FieldViolationsOf(bare)) {
    // Our own servers name the first ones in the message itself.
    const std::string line = fmt::format("{} {}", violation.field, violation.description);
    if (message.find(line) == std::string::npos) message += "\n" + line;
  }
  absl::Status result(code, message);
  bare.ForEachPayload(
      [&](auto type_url, const absl::Cord& payload) { result.SetPayload(type_url, payload); });
  return result;
}

}  // namespace regressd::common
