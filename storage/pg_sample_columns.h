#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/pg_run_rows.h"
#include "storage/run_store.h"

namespace regressd::storage {

/// Reads columns of one source of a run, out of its rows and its blocks, in the order of the
/// samples. One thread.
class SampleColumns {
 public:
  /// `columns` are of one source, at least one, and outlive this; as `range` does not.
  SampleColumns(std::int64_t run_id, std::span<const DeclaredMetric> columns,
                const TimeRange& range);

  /// The next samples, some hundred thousand values at most, one part a column; the parts may be
  /// empty. Errors: Internal, when a stored block is damaged. Throws what pqxx_compat.h throws.
  absl::StatusOr<std::vector<SamplePart>> Next(pqxx::transaction_base& transaction);

  /// False once Next has given all.
  bool more() const { return more_; }

 private:
  struct Chunk;
  void ReadRows(pqxx::transaction_base& transaction, Chunk* chunk) const;
  void ReadBlocks(pqxx::transaction_base& transaction, Chunk* chunk) const;
  absl::Status AddBlocks(Chunk* chunk) const;

  const std::int64_t run_id_;
  const std::span<const DeclaredMetric> columns_;
  const TimeRange range_;
  const bool is_int_;
  std::int64_t last_seq_ = 0;  // What was given.
  bool more_ = true;
};

}  // namespace regressd::storage
