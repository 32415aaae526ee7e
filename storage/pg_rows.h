#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/axes.h"
#include "services/model/commit.h"
#include "services/model/time.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {

/// What the stores on PostgreSQL have in common: instants, axes and commits of rows. Everything
/// here throws what pqxx_compat.h throws: call it inside InTransaction.

/// SQL for a timestamptz as microseconds since 1970 UTC, exact; the largest or smallest int8 for
/// what is beyond it, infinity above all.
std::string MicrosOf(std::string_view timestamptz);
/// MicrosOf a column "r.start_time", under the column's own name.
std::string MicrosColumn(std::string_view column);
/// SQL for the inverse, also of the ends; `micros` is a column or parameter.
std::string InstantOf(std::string_view micros);

std::int64_t ToMicros(model::Time time);
/// Throws UnreadableValue for what lies outside the years 1 to 9999, which no client can be told.
model::Time TimeOf(const pqxx::field& micros);
/// For ordering and going on in a list alone: also of infinities.
model::Time PlaceOf(const pqxx::field& micros);

/// What `read()` gives. Errors: Internal with what an UnreadableValue says.
template <typename Read>
auto TryRead(Read&& read) -> absl::StatusOr<decltype(read())> try {
  return read();
} catch (const UnreadableValue& e) {
  return absl::InternalError(e.what());
}

/// The error of a read of the row `name` alone. Errors: Internal, always.
absl::Status CannotRead(std::string_view name, const absl::Status& why);

/// The conditions of a WHERE clause with their parameters.
class Conditions {
 public:
  /// Adds `sql`, in which each "{}" stands for the next of `values`.
  template <typename... Values>
  void Add(std::string_view sql, const Values&... values) {
    // Braces, for they are evaluated from left to right.
    AddBound(sql, std::vector<std::string>{Bind(values)...});
  }
  /// The next parameter: "$3".
  template <typename Value>
  std::string Bind(const Value& value) {
    params_.Add(value);
    return fmt::format("${}", params_.values().size());
  }
  /// Only axes with all pairs of `axes`; `column` holds axes ids.
  void AddAxes(std::string_view column, const model::Axes& axes);

  const std::string& clause() const { return clause_; }
  const Params& params() const { return params_; }

 private:
  void AddBound(std::string_view sql, const std::vector<std::string>& names);

  std::string clause_;
  Params params_;
};

/// SQL for: the run of this alias takes part in comparisons.
std::string RunCounts(std::string_view run_alias);

/// The axes by id, in print order.
std::map<std::int64_t, model::Axes> LoadAxes(pqxx::transaction_base& transaction,
                                             const std::vector<std::int64_t>& axes_ids);

/// What stands between SELECT and FROM for ReadCommit; the table commit has the alias c.
std::string CommitColumns();
inline constexpr int kCommitColumnCount = 15;
/// The commit of a row that begins with CommitColumns().
model::Commit ReadCommit(const pqxx::row& row);

/// The commits by id; one that is not stored is there with nothing but its id, one that cannot be
/// read with an error that names it.
std::map<std::string, absl::StatusOr<model::Commit>> LoadCommits(
    pqxx::transaction_base& transaction, const std::vector<std::string>& commit_ids);

/// Queues groups for judging: one row for each of the runs that `select` gives as run_id, axes_id,
/// commit_id. A group that is being judged right now is judged again.
void QueueForJudging(pqxx::transaction_base& transaction, const std::string& select,
                     const Params& params);

}  // namespace regressd::storage
