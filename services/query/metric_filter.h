#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace re2 {
class RE2;
}

namespace regressd::query {

/// Chooses metrics by an RE2 searched anywhere in their name; an empty one takes all. Thread-safe.
class MetricFilter {
 public:
  /// Errors: InvalidArgument, naming `field`, when the expression is bad or too large.
  static absl::StatusOr<MetricFilter> Make(const std::string& regex, std::string_view field);

  bool Takes(const std::string& metric_name) const;

 private:
  explicit MetricFilter(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}

  std::shared_ptr<const re2::RE2> regex_;  // Null: all.
};

}  // namespace regressd::query
