#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
#include "services/ctl/skipped.h"
#include "services/model/comparison.h"

namespace regressd::ctl {

struct ColumnQuery {
  std::string commit;
  model::Axes axes;  ///< Of this column alone.
};

struct CompareQuery {
  std::vector<ColumnQuery> columns;  ///< The first is the base.
  model::Axes axes;
  std::string metric_regex;
};

/// Compares run groups. Rows and blocks that cannot be read go to `skipped`. Errors: the server's.
/// Thread-safe.
class CompareClient {
 public:
  CompareClient(const Connection& connection, Skipped skipped)
      : connection_(connection), skipped_(std::move(skipped)) {}

  /// All blocks, whole but for what was skipped. `progress` hears how many rows have come.
  absl::StatusOr<std::vector<model::ComparisonBlock>> Compare(
      const CompareQuery& query, const std::function<void(std::int64_t)>& progress) const;

 private:
  const Connection& connection_;
  const Skipped skipped_;
};

}  // namespace regressd::ctl
