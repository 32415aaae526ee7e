#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
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

/// Compares run groups. Errors: the server's. Thread-safe.
class CompareClient {
 public:
  explicit CompareClient(const Connection& connection) : connection_(connection) {}

  /// All blocks, whole. `progress` hears how many rows have come.
  absl::StatusOr<std::vector<model::ComparisonBlock>> Compare(
      const CompareQuery& query, const std::function<void(std::int64_t)>& progress) const;

 private:
  const Connection& connection_;
};

}  // namespace regressd::ctl
