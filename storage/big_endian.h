#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace regressd::storage {

/// Numbers in network byte order, as PostgreSQL's binary formats have them.

template <std::unsigned_integral T>
T SwapToBigEndian(T value) {
  if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof(T) == 8);
    return __builtin_bswap64(value);
  }
}

/// Writes `value` at `out` and returns the place after it.
template <std::unsigned_integral T>
char* StoreBigEndian(T value, char* out) {
  const T swapped = SwapToBigEndian(value);
  std::memcpy(out, &swapped, sizeof(T));
  return out + sizeof(T);
}

template <std::unsigned_integral T>
T LoadBigEndian(const char* in) {
  T value;
  std::memcpy(&value, in, sizeof(T));
  return SwapToBigEndian(value);
}

}  // namespace regressd::storage
