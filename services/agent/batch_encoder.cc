#include "services/agent/batch_encoder.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace regressd::agent {
namespace {

std::size_t WidthOf(const Row& row) { return std::max(row.ints.size(), row.doubles.size()); }

bool IsMissing(const Row& row, std::size_t column) {
  if (column >= WidthOf(row)) return true;
  return !row.missing.empty() && row.missing[column];
}

std::string MissingBits(std::span<const Row> rows, std::size_t width) {
  std::string bits((rows.size() * width + 7) / 8, '\0');
  bool any = false;
  std::size_t entry = 0;
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < width; ++column, ++entry) {
      if (!IsMissing(row, column)) continue;
      any = true;
      bits[entry / 8] = static_cast<char>(bits[entry / 8] | (1 << (entry % 8)));
    }
  }
  if (!any) bits.clear();
  return bits;
}

void EncodeInts(std::span<const Row> rows, std::size_t width, v1::Batch* batch) {
  // The last value of each column; a missing one repeats it, so that its difference is 0.
  std::vector<std::uint64_t> last(width, 0);
  batch->mutable_int_deltas()->Reserve(static_cast<int>(rows.size() * width));
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < width; ++column) {
      const std::uint64_t value =
          IsMissing(row, column) ? last[column] : static_cast<std::uint64_t>(row.ints[column]);
      batch->add_int_deltas(static_cast<std::int64_t>(value - last[column]));
      last[column] = value;
    }
  }
}

void EncodeDoubles(std::span<const Row> rows, std::size_t width, v1::Batch* batch) {
  batch->mutable_doubles()->Reserve(static_cast<int>(rows.size() * width));
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < width; ++column) {
      batch->add_doubles(IsMissing(row, column) ? 0 : row.doubles[column]);
    }
  }
}

}  // namespace

v1::Batch EncodeRows(std::int32_t source_id, std::int64_t first_seq, std::span<const Row> rows) {
  v1::Batch batch;
  batch.set_source_id(source_id);
  batch.set_first_seq(first_seq);
  batch.set_sample_count(static_cast<std::int32_t>(rows.size()));
  std::size_t width = 0;
  bool of_doubles = false;
  for (const Row& row : rows) {
    width = std::max(width, WidthOf(row));
    of_doubles = of_doubles || !row.doubles.empty();
  }
  batch.set_metric_count(static_cast<std::int32_t>(width));
  std::int64_t last_time_us = 0;
  for (const Row& row : rows) {
    const std::int64_t time_us = row.time.time_since_epoch().count();
    batch.add_time_delta_us(time_us - last_time_us);
    last_time_us = time_us;
  }
  if (of_doubles) {
    EncodeDoubles(rows, width, &batch);
  } else {
    EncodeInts(rows, width, &batch);
  }
  batch.set_missing_bits(MissingBits(rows, width));
  return batch;
}

}  // namespace regressd::agent
