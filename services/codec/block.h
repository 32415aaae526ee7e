#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace regressd::codec {

/// What a block's bytes do not say themselves.
struct BlockShape {
  std::size_t sample_count = 0;  ///< At least 1.
  std::size_t metric_count = 0;  ///< At least 1.
  std::int64_t begin_us = 0;     ///< Time of the first sample, since 1970.
  std::int64_t period_us = 0;    ///< Nominal distance of two samples; any number is right.
};

/// Samples as monitors make them: row after row. A value is a pattern of 64 bits: of a signed
/// integer, of an unsigned total, or of a double.
struct RowsView {
  std::span<const std::int64_t> times_us;  ///< One a sample, of any order.
  std::span<const std::uint64_t> values;   ///< sample_count * metric_count.
  std::span<const std::uint8_t> missing;   ///< Empty when nothing is; else 1 for each that is.
};

/// Samples as readers want them: metric after metric.
struct Columns {
  std::vector<std::int64_t> times_us;
  std::vector<std::uint64_t> values;  ///< Of a missing one that of the sample before, or 0.
  std::vector<std::uint8_t> missing;  ///< Empty when nothing is; else 1 for each that is.
};

/// A block: a byte that says whether values are missing, then which, then numbers: the distances of
/// the times less the period, the first sample, and of each metric the differences from sample to
/// sample modulo 2^64. A number n is folded to 2n or -2n-1 and written in groups of seven bits, the
/// lowest first (LEB128); a run of k zeroes is a 0 and k-1. Exact for every value. Costs no more
/// than 10 bytes a value, and a bit if it may be missing.
///
/// `rows` has the sizes of `shape`, and begins at begin_us.
std::string EncodeBlock(const BlockShape& shape, const RowsView& rows);

/// Every metric of a block, or one alone, which spares the memory and half the time. Reuses the
/// memory of `columns`. Errors: InvalidArgument when `block` is none of this shape; then `columns`
/// has no meaning.
absl::Status DecodeBlock(const BlockShape& shape, std::string_view block, Columns* columns);
absl::Status DecodeColumn(const BlockShape& shape, std::string_view block, std::size_t metric_index,
                          Columns* columns);

/// What DecodeBlock would say of `block`, without the memory for its values; and its times. With
/// `are_doubles` a value that is infinite or not a number is an error, too, unless it is missing.
absl::Status CheckBlock(const BlockShape& shape, std::string_view block, bool are_doubles,
                        std::vector<std::int64_t>* times_us);

}  // namespace regressd::codec
