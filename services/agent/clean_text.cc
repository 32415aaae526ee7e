#include "services/agent/clean_text.h"

#include <algorithm>

#include "services/common/text_check.h"

namespace regressd::agent {
namespace {

/// Bytes of the well-formed character that `text` begins with; 0 when it is none.
std::size_t CharacterSize(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (common::IsUtf8(text.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

std::string CleanText(std::string_view text, std::size_t max_bytes) {
  std::string clean;
  clean.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    std::string_view character = size == 0 ? std::string_view("?") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
    if (character == "\t") character = " ";
    if (common::HasControlCharacter(character)) continue;
    if (clean.size() + character.size() > max_bytes) break;
    clean += character;
  }
  return clean;
}

std::string Utf8Text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    clean += size == 0 ? std::string_view("?") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return clean;
}

std::string ArgumentText(std::string_view argument) {
  std::string shown;
  for (const char c : argument) {
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else {
      shown += c;
    }
  }
  return CleanText(shown);
}

}  // namespace regressd::agent
