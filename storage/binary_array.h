#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "storage/big_endian.h"

namespace regressd::storage {

/// Calls take(index, bits) for each element that is not NULL of a one-dimensional int8[] or
/// float8[] in PostgreSQL's binary form. Returns how many elements there are, or -1 when `array` is
/// no such array; then some may have been handed out.
template <typename Take>
std::int64_t ForEachElement(std::string_view array, Take&& take) {
  constexpr std::size_t kEmptyHeader = 12;
  constexpr std::size_t kHeader = 20;
  if (array.size() < kEmptyHeader) return -1;
  const auto dimension_count = LoadBigEndian<std::uint32_t>(array.data());
  if (dimension_count == 0) return 0;
  if (dimension_count != 1 || array.size() < kHeader) return -1;
  const auto count = LoadBigEndian<std::uint32_t>(array.data() + kEmptyHeader);
  std::size_t at = kHeader;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (array.size() - at < 4) return -1;
    const auto size = LoadBigEndian<std::uint32_t>(array.data() + at);
    at += 4;
    if (size == ~std::uint32_t{0}) continue;  // NULL
    if (size != 8 || array.size() - at < 8) return -1;
    take(std::size_t{i}, LoadBigEndian<std::uint64_t>(array.data() + at));
    at += 8;
  }
  return at == array.size() ? std::int64_t{count} : -1;
}

}  // namespace regressd::storage
