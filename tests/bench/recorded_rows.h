#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::bench {

/// Samples of a machine under load, to measure with.
struct RecordedRows {
  std::string origin;  ///< In words.
  bool is_recorded = false;
  std::size_t metric_count = 0;
  std::vector<std::int64_t> times_us;  ///< Since 1970, about one a second.
  std::vector<std::uint64_t> values;   ///< Row after row.
};

/// The recording of /proc/vmstat among the real inputs (REGRESSD_CORPUS_DIR, or ../shared/corpus
/// beside the tree); where it is missing, as many series of the same nature: totals that rise in
/// bursts, levels that wander, and many that stand still. Errors: what is wrong with the recording.
absl::StatusOr<RecordedRows> ReadRecordedRows();

}  // namespace regressd::bench
