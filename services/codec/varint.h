#pragma once

#include <cstddef>
#include <cstdint>

namespace regressd::codec {

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Small numbers of either sign become small numbers without one: 0, -1, 1, -2 are 0, 1, 2, 3.
inline std::uint64_t FoldSign(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
inline std::uint64_t UnfoldSign(std::uint64_t folded) { return (folded >> 1) ^ (0 - (folded & 1)); }

/// Writes up to kMaxVarintBytes; returns the byte behind.
inline std::uint8_t* WriteVarint(std::uint64_t value, std::uint8_t* to) {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

/// Returns the byte behind, or nullptr when there is no whole number of 64 bits before `end`.
inline const std::uint8_t* ReadVarint(const std::uint8_t* from, const std::uint8_t* end,
                                      std::uint64_t* value) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; from != end; shift += 7) {
    const std::uint64_t byte = *from++;
    if (shift == 63 && byte > 1) return nullptr;
    result |= (byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = result;
      return from;
    }
  }
  return nullptr;
}

}  // namespace regressd::codec
