#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/codec/block.h"

namespace regressd::codec {

/// Samples with their holes, row after row.
struct Table {
  std::vector<std::int64_t> times_us;
  std::vector<std::vector<std::optional<std::uint64_t>>> rows;

  bool operator==(const Table&) const = default;
};

/// The format of block.h step by step, one number after the other: the fast codec's slow twin.
std::string SlowEncode(const BlockShape& shape, const Table& table);
/// nullopt for what is no block of this shape.
std::optional<Table> SlowDecode(const BlockShape& shape, std::string_view block);

}  // namespace regressd::codec
