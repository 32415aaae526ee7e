#include "storage/stored_block.h"

#include <fmt/format.h>

namespace regressd::storage {
namespace {

// BLOCK_CODEC_DELTA of the protocol.
constexpr std::int64_t kDelta = 1;
// What ingest takes: no stored row makes a reader ask for more memory than that.
constexpr std::int64_t kMaxSamples = 600;
constexpr std::int64_t kMaxMetrics = 8192;

absl::Status Damaged(const StoredBlock& block, std::string_view what) {
  return absl::InternalError(
      fmt::format("the block of samples {} to {} {}", block.first_seq, block.last_seq(), what));
}

absl::Status CheckRow(const StoredBlock& block) {
  if (block.codec != kDelta) {
    return Damaged(block,
                   fmt::format("is of codec {}, which this version does not know", block.codec));
  }
  if (block.sample_count < 1 || block.sample_count > kMaxSamples || block.metric_count < 1 ||
      block.metric_count > kMaxMetrics) {
    return Damaged(block, fmt::format("says that it has {} samples of {} metrics",
                                      block.sample_count, block.metric_count));
  }
  return absl::OkStatus();
}

codec::BlockShape ShapeOf(const StoredBlock& block) {
  return {.sample_count = static_cast<std::size_t>(block.sample_count),
          .metric_count = static_cast<std::size_t>(block.metric_count),
          .begin_us = block.begin_us,
          .period_us = block.period_us};
}

absl::Status StatusOf(const StoredBlock& block, const absl::Status& decoded) {
  if (decoded.ok()) return decoded;
  return Damaged(block, fmt::format("is damaged: {}", std::string(decoded.message())));
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

absl::Status Decode(const StoredBlock& block, codec::Columns* columns) {
  if (auto status = CheckRow(block); !status.ok()) return status;
  return StatusOf(block, codec::DecodeBlock(ShapeOf(block), block.payload, columns));
}

absl::Status DecodeMetric(const StoredBlock& block, std::size_t metric_index,
                          codec::Columns* columns) {
  if (auto status = CheckRow(block); !status.ok()) return status;
  return StatusOf(block, codec::DecodeColumn(ShapeOf(block), block.payload, metric_index, columns));
}

std::string FromHex(std::string_view digits) {
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = DigitOf(digits[i]);
    const int low = DigitOf(digits[i + 1]);
    if (high < 0 || low < 0) break;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace regressd::storage
