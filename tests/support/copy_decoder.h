#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/model/time.h"

namespace regressd::test {

/// Reads COPY BINARY tuples (no header, no trailer) one byte after the other, by PostgreSQL's
/// description of the format: the slow and obvious counterpart of storage/copy_binary.cc, with
/// which it shares no code. Errors: InvalidArgument, naming the place, for anything that is not
/// exactly a tuple of the table.

/// A row of sample_row; exactly one of the two lists is set.
struct SampleTuple {
  std::int64_t run_id = 0;
  std::int32_t source_id = 0;
  std::int64_t seq = 0;
  model::Time time;
  std::optional<std::vector<std::optional<std::int64_t>>> ints;
  std::optional<std::vector<std::optional<double>>> reals;
};
absl::StatusOr<std::vector<SampleTuple>> DecodeSampleTuples(std::string_view tuples);

/// A row of sample_block.
struct BlockTuple {
  std::int64_t run_id = 0;
  std::int32_t source_id = 0;
  std::int64_t seq = 0;
  model::Time begin_time;
  std::int64_t period_us = 0;
  std::int32_t sample_count = 0;
  std::int32_t metric_count = 0;
  std::int16_t codec = 0;
  std::string payload;
};
absl::StatusOr<std::vector<BlockTuple>> DecodeBlockTuples(std::string_view tuples);

/// A row of stack_count.
struct StackTuple {
  std::int64_t run_id = 0;
  std::int32_t source_id = 0;
  std::int64_t seq = 0;
  std::int64_t stack_hash = 0;
  model::Time begin_time;
  std::int64_t duration_us = 0;
  std::int64_t count = 0;
};
absl::StatusOr<std::vector<StackTuple>> DecodeStackTuples(std::string_view tuples);

/// A row of observation_row.
struct ObservationTuple {
  std::int64_t run_id = 0;
  std::int32_t source_id = 0;
  std::int64_t seq = 0;
  std::int32_t ord = 0;  ///< 1 = first metric of the source.
  std::vector<double> values;
};
absl::StatusOr<std::vector<ObservationTuple>> DecodeObservationTuples(std::string_view tuples);

}  // namespace regressd::test
