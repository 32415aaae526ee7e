#include "services/common/text_check.h"

#include <cstddef>
#include <cstdint>

namespace regressd::common {
namespace {

unsigned char ByteAt(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Bytes of the character that `lead` begins; 0 when none does.
std::size_t CharacterSize(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = CharacterSize(ByteAt(text, i));
    if (size == 0 || i + size > text.size()) return false;
    std::uint32_t character = ByteAt(text, i);
    if (size > 1) character &= 0x7Fu >> size;
    for (std::size_t k = 1; k < size; ++k) {
      const unsigned char byte = ByteAt(text, i + k);
      if ((byte & 0xC0) != 0x80) return false;
      character = character << 6 | (byte & 0x3Fu);
    }
    if (size == 3 && (character < 0x800 || (character >= 0xD800 && character <= 0xDFFF))) {
      return false;
    }
    if (size == 4 && (character < 0x10000 || character > 0x10FFFF)) return false;
    i += size;
  }
  return true;
}

bool HasControlCharacter(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = ByteAt(text, i);
    if (byte < 0x20 || byte == 0x7F) return true;
    // C1 is U+0080 to U+009F: C2 80 to C2 9F.
    if (byte == 0xC2 && i + 1 < text.size() && ByteAt(text, i + 1) < 0xA0) return true;
  }
  return false;
}

std::string ClampUtf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  constexpr std::string_view kCut = "...";
  std::size_t size = max_bytes > kCut.size() ? max_bytes - kCut.size() : 0;
  while (size > 0 && (ByteAt(text, size) & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size)).append(kCut);
}

}  // namespace regressd::common
