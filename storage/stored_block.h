#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/codec/block.h"

namespace regressd::storage {

/// A row of sample_block without its run and source. Pure.
struct StoredBlock {
  std::int64_t first_seq = 0;
  std::int64_t begin_us = 0;  ///< Since 1970.
  std::int64_t period_us = 0;
  std::int64_t sample_count = 0;
  std::int64_t metric_count = 0;
  std::int64_t codec = 0;
  std::string payload;

  std::int64_t last_seq() const { return first_seq + sample_count - 1; }
};

/// The block's values. Errors: Internal, when the row is damaged or of a newer version.
absl::Status Decode(const StoredBlock& block, codec::Columns* columns);
/// Of one metric, counted from 0, which the block has.
absl::Status DecodeMetric(const StoredBlock& block, std::size_t metric_index,
                          codec::Columns* columns);

/// The bytes that lower-case hexadecimal digits stand for; a character that is none ends them.
std::string FromHex(std::string_view digits);

}  // namespace regressd::storage
