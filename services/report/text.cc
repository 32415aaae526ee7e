#include "services/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace regressd::report {
namespace {

struct Decoded {
  std::uint32_t code_point = 0;
  std::size_t size = 0;  ///< Bytes; 0 when the first byte starts no valid sequence.
};

/// Reads one code point; refuses overlong forms, surrogates and what lies beyond U+10FFFF.
Decoded Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  std::size_t size = 0;
  std::uint32_t value = 0;
  std::uint32_t least = 0;
  if (byte(0) >= 0xC2 && byte(0) <= 0xDF) {
    size = 2, value = byte(0) & 0x1Fu, least = 0x80;
  } else if (byte(0) >= 0xE0 && byte(0) <= 0xEF) {
    size = 3, value = byte(0) & 0x0Fu, least = 0x800;
  } else if (byte(0) >= 0xF0 && byte(0) <= 0xF4) {
    size = 4, value = byte(0) & 0x07u, least = 0x10000;
  }
  if (size == 0 || text.size() < size) return {};
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, size};
}

bool IsDeceptive(std::uint32_t c) {
  return c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80; }

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded decoded = Decode(text);
    if (decoded.size == 0 || decoded.code_point < 0x20 || decoded.code_point == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if ((decoded.code_point >= 0x80 && decoded.code_point < 0xA0) ||
        IsDeceptive(decoded.code_point)) {
      out += fmt::format("\\u{{{:04x}}}", decoded.code_point);
    } else {
      out.append(text.substr(0, decoded.size));
    }
    text.remove_prefix(decoded.size);
  }
  return out;
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n' || c == '\t'; }, ' ');
  return Printable(line);
}

std::string Unfolded(std::string_view text) {
  std::string line;
  for (const char c : OneLine(text)) {
    if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

std::size_t CharacterCount(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += IsContinuation(c) ? 0 : 1;
  return count;
}

std::string_view FirstCharacters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && (count > 0 || IsContinuation(text[end]))) {
    if (!IsContinuation(text[end])) --count;
    ++end;
  }
  return text.substr(0, end);
}

std::string PadLeft(std::string_view text, std::size_t width) {
  const std::size_t count = CharacterCount(text);
  return std::string(count < width ? width - count : 0, ' ').append(text);
}

std::string Wrap(std::string_view prose, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!prose.empty()) {
    const std::string_view word = prose.substr(0, prose.find(' '));
    prose.remove_prefix(word.size() < prose.size() ? word.size() + 1 : word.size());
    if (word.empty()) continue;
    const std::size_t length = CharacterCount(word);
    if (column > 0 && column + 1 + length > width) {
      out.push_back('\n');
      column = 0;
    } else if (column > 0) {
      out.push_back(' ');
      ++column;
    }
    out.append(word);
    column += length;
  }
  return out;
}

std::string Joined(std::initializer_list<std::string_view> parts, std::string_view separator) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace regressd::report
