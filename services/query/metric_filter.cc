#include "services/query/metric_filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

#include "services/common/error_details.h"

namespace regressd::query {
namespace {

constexpr std::size_t kMaxRegexBytes = 2048;

}  // namespace

absl::StatusOr<MetricFilter> MetricFilter::Make(const std::string& regex, std::string_view field) {
  if (regex.empty()) return MetricFilter(nullptr);
  if (regex.size() > kMaxRegexBytes) {
    return common::InvalidField(
        field, fmt::format("has {} bytes; at most {} are taken", regex.size(), kMaxRegexBytes));
  }
  auto compiled = std::make_shared<const re2::RE2>(regex, re2::RE2::Quiet);
  if (!compiled->ok()) {
    return common::InvalidField(
        field, fmt::format("is no regular expression of RE2: {}", compiled->error()));
  }
  return MetricFilter(std::move(compiled));
}

bool MetricFilter::Takes(const std::string& metric_name) const {
  return regex_ == nullptr || re2::RE2::PartialMatch(metric_name, *regex_);
}

}  // namespace regressd::query
