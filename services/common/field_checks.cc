#include "services/common/field_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "services/common/text_check.h"

namespace regressd::common {

std::string JoinPath(std::string_view path, std::string_view field) {
  if (path.empty()) return std::string(field);
  if (field.empty()) return std::string(path);
  return fmt::format("{}.{}", path, field);
}

std::string IndexPath(std::string_view path, int index) {
  return fmt::format("{}[{}]", path, index);
}

void FieldChecks::Fail(std::string_view field, std::string_view description) {
  violations_.push_back({PathOf(field), std::string(description)});
}

void FieldChecks::Merge(std::string_view field, const absl::Status& status) {
  if (status.ok()) return;
  // A part's violations have their whole path already.
  const std::vector<FieldViolation> parts = FieldViolationsOf(status);
  if (parts.empty()) {
    Fail(field, std::string(status.message()));
    return;
  }
  violations_.insert(violations_.end(), parts.begin(), parts.end());
}

void FieldChecks::Line(std::string_view field, std::string_view text, std::size_t max_bytes) {
  Text(field, text, max_bytes);
  if (IsUtf8(text) && HasControlCharacter(text)) {
    Fail(field, "has a control character; remove or escape it");
  }
}

void FieldChecks::Name(std::string_view field, std::string_view text, std::size_t max_bytes) {
  if (text.empty()) {
    Fail(field, "is empty; set it");
    return;
  }
  Line(field, text, max_bytes);
}

void FieldChecks::Text(std::string_view field, std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    Fail(field, fmt::format("has {} bytes; at most {} are taken", text.size(), max_bytes));
  }
  if (!IsUtf8(text)) {
    Fail(field, "is not UTF-8; encode it");
  } else if (text.find('\0') != std::string_view::npos) {
    Fail(field, "has a NUL; remove it");
  }
}

void FieldChecks::Range(std::string_view field, std::int64_t value, std::int64_t min,
                        std::int64_t max) {
  if (value < min || value > max) {
    Fail(field, fmt::format("is {}; must be {} to {}", value, min, max));
  }
}

void FieldChecks::Count(std::string_view field, int count, int max) {
  if (count > max) Fail(field, fmt::format("has {} entries; at most {} are taken", count, max));
}

void FieldChecks::Finite(std::string_view field, double value) {
  if (!std::isfinite(value)) Fail(field, fmt::format("is {}; must be a finite number", value));
}

absl::Status FieldChecks::status() const {
  return violations_.empty() ? absl::OkStatus() : InvalidFields(violations_);
}

}  // namespace regressd::common
