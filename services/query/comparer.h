#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/model/comparison.h"
#include "storage/commit_store.h"
#include "storage/run_store.h"

namespace regressd::query {

/// One column as a person names it.
struct ColumnQuery {
  std::string commit;  ///< Id, prefix, describe, or patch Message-ID.
  model::Axes axes;    ///< Of this column alone, for comparing along an axis.
};

struct CompareQuery {
  std::vector<ColumnQuery> columns;  ///< At least two; the first is the base.
  model::Axes axes;                  ///< Only blocks with all of these.
  std::string metric_regex;          ///< RE2, searched anywhere in the name; empty: all. Judged before filtering.
};

/// The one way in which anybody compares: gRPC, pages and reports. Thread-safe.
class Comparer {
 public:
  Comparer(storage::RunStore& runs, storage::CommitStore& commits) : runs_(runs), commits_(commits) {}

  /// Errors: NotFound for an unknown commit, with near names; InvalidArgument for fewer than two columns or a bad regular
  /// expression; FailedPrecondition when no set of axes has complete runs in two columns, saying what each column has.
  absl::StatusOr<std::vector<model::ComparisonBlock>> Compare(const CompareQuery& query) const;

 private:
  storage::RunStore& runs_;
  storage::CommitStore& commits_;
};

}  // namespace regressd::query
