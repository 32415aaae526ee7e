#include "services/common/error_details.h"

#include <fmt/format.h>

#include <cstddef>

#include "absl/strings/cord.h"
#include "google/rpc/error_details.pb.h"
#include "services/common/text_check.h"

namespace regressd::common {
namespace {

// The type urls of google.protobuf.Any, so that a payload travels as it is.
constexpr char kBadRequestUrl[] = "type.googleapis.com/google.rpc.BadRequest";
constexpr char kErrorInfoUrl[] = "type.googleapis.com/google.rpc.ErrorInfo";

// A message is for people; the payload has the rest.
constexpr std::size_t kViolationsInMessage = 5;

// A status travels in trailers, and clients refuse metadata above 8 KiB: all details together stay
// far below.
constexpr std::size_t kMaxDetailsBytes = 1800;
constexpr std::size_t kMaxTextBytes = 200;

std::string Clamp(std::string_view text) { return ClampUtf8(text, kMaxTextBytes); }

}  // namespace

absl::Status InvalidFields(const std::vector<FieldViolation>& violations) {
  std::string message;
  google::rpc::BadRequest details;
  std::size_t details_bytes = 0;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const std::string field = Clamp(violations[i].field);
    const std::string description = Clamp(violations[i].description);
    details_bytes += field.size() + description.size();
    if (details_bytes > kMaxDetailsBytes) break;
    if (i < kViolationsInMessage) {
      message += fmt::format("{}{} {}", i == 0 ? "" : "; ", field.empty() ? "the message" : field,
                             description);
    }
    auto* violation = details.add_field_violations();
    violation->set_field(field);
    violation->set_description(description);
  }
  if (violations.size() > kViolationsInMessage) {
    message += fmt::format("; and {} more", violations.size() - kViolationsInMessage);
  }
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kBadRequestUrl, absl::Cord(details.SerializeAsString()));
  return status;
}

absl::Status InvalidField(std::string_view field, std::string_view description) {
  return InvalidFields({{std::string(field), std::string(description)}});
}

absl::Status WithErrorInfo(absl::Status status, const ErrorInfo& info) {
  google::rpc::ErrorInfo details;
  details.set_reason(info.reason);
  details.set_domain("regressd");
  std::size_t details_bytes = 0;
  for (const auto& [key, value] : info.metadata) {
    details_bytes += key.size() + Clamp(value).size();
    if (details_bytes > kMaxDetailsBytes) break;
    (*details.mutable_metadata())[key] = Clamp(value);
  }
  status.SetPayload(kErrorInfoUrl, absl::Cord(details.SerializeAsString()));
  return status;
}

std::vector<FieldViolation> FieldViolationsOf(const absl::Status& status) {
  std::vector<FieldViolation> violations;
  google::rpc::BadRequest details;
  const auto payload = status.GetPayload(kBadRequestUrl);
  if (!payload || !details.ParseFromString(std::string(*payload))) return violations;
  for (const auto& violation : details.field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  return violations;
}

std::optional<ErrorInfo> ErrorInfoOf(const absl::Status& status) {
  google::rpc::ErrorInfo details;
  const auto payload = status.GetPayload(kErrorInfoUrl);
  if (!payload || !details.ParseFromString(std::string(*payload))) return std::nullopt;
  return ErrorInfo{details.reason(), {details.metadata().begin(), details.metadata().end()}};
}

}  // namespace regressd::common
