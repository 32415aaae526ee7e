#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/analysis/judge.h"
#include "services/model/comparison.h"
#include "services/model/regression.h"
#include "storage/commit_store.h"
#include "storage/run_store.h"

namespace regressd::query {

/// Columns of one comparison.
inline constexpr std::size_t kMaxColumns = 100;

/// One column as a person names it.
struct ColumnQuery {
  std::string commit;  ///< Id, prefix, describe, or patch Message-ID.
  model::Axes axes;    ///< Of this column alone, for comparing along an axis.
};

struct CompareQuery {
  std::vector<ColumnQuery> columns;  ///< 2 to kMaxColumns; the first is the base.
  model::Axes axes;                  ///< Only blocks with all of these.
  std::string
      metric_regex;  ///< RE2, searched anywhere in the name; empty: all. Judged before filtering.
};

/// The one way in which anybody compares: gRPC, pages and reports. Thread-safe.
class Comparer {
 public:
  /// `options` are those of the worker, so that no page disagrees with a mail.
  Comparer(storage::RunStore& runs, storage::CommitStore& commits,
           analysis::JudgeOptions options = {})
      : runs_(runs), commits_(commits), options_(options) {}

  /// Errors: NotFound for an unknown commit, with near names; InvalidArgument for fewer than two
  /// columns, a bad regular expression, or an axis that one column gives and another leaves open;
  /// FailedPrecondition when no set of axes has complete runs in the base and another column;
  /// message and ErrorInfo (NOTHING_TO_COMPARE, "columns[0]"...) say what each column has.
  absl::StatusOr<std::vector<model::ComparisonBlock>> Compare(const CompareQuery& query) const;

  /// The table behind a regression: base and head, its axes alone, all metrics.
  /// Errors: FailedPrecondition when the runs that it rests on are gone.
  absl::StatusOr<model::ComparisonBlock> BlockOf(const model::Regression& regression) const;

 private:
  storage::RunStore& runs_;
  storage::CommitStore& commits_;
  const analysis::JudgeOptions options_;
};

}  // namespace regressd::query
