#include "services/parse/kernel_log_id.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace regressd::parse {
namespace {

constexpr std::size_t kMaxIdBytes = 200;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWord(char c) { return IsDigit(c) || IsLetter(c) || c == '_'; }

std::size_t EndOf(std::string_view text, std::size_t begin, bool (*is)(char)) {
  while (begin < text.size() && is(text[begin])) ++begin;
  return begin;
}

/// The length of "+0x1a/0x2b", of "/123" behind a word, or of ".isra.0" at `at`; else 0.
std::size_t NoiseLength(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest[0] == '+' || rest[0] == '/') {
    const std::size_t begin = rest.starts_with("+0x") || rest.starts_with("/0x") ? 3 : 1;
    const std::size_t end = EndOf(rest, begin, begin == 3 ? IsHex : IsDigit);
    return end > begin && (end == rest.size() || !IsWord(rest[end])) ? end : 0;
  }
  for (const std::string_view suffix : {".isra.", ".constprop.", ".part."}) {
    if (!rest.starts_with(suffix)) continue;
    const std::size_t end = EndOf(rest, suffix.size(), IsDigit);
    return end > suffix.size() ? end : 0;
  }
  if (rest.starts_with(" (Tainted:")) {
    const std::size_t end = rest.find(')');
    return end == std::string_view::npos ? 0 : end + 1;
  }
  return 0;
}

/// The length of the number that begins a word at `at`: 0x1f, 12.5, or an address or hash without
/// 0x; else 0.
std::size_t NumberLength(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("0x")) {
    const std::size_t end = EndOf(rest, 2, IsHex);
    return end > 2 ? end : 0;
  }
  const std::size_t word_end = EndOf(rest, 0, IsWord);
  const bool all_hex =
      std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(word_end), IsHex);
  if (all_hex && (word_end == 8 || word_end == 16 || word_end == 40)) return word_end;
  if (!IsDigit(rest[0])) return 0;
  std::size_t end = 0;
  while (end < rest.size() && (IsDigit(rest[end]) || rest[end] == '.')) ++end;
  return end;
}

bool IsBlockDevice(std::string_view word) {
  constexpr std::array<std::string_view, 9> kDevices = {"drbd", "fd",   "loop", "md",  "mmc",
                                                        "nbd",  "nvme", "sr",   "zram"};
  return std::find(kDevices.begin(), kDevices.end(), word) != kDevices.end();
}

std::string WithoutNoise(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t noise = NoiseLength(message, at);
    if (noise == 0) text += message[at];
    at += std::max<std::size_t>(noise, 1);
  }
  return text;
}

std::string WithoutNumbers(std::string_view message) {
  std::string text;
  std::size_t word_begin = 0;  // In `text`.
  for (std::size_t at = 0; at < message.size();) {
    const bool begins_word = at == 0 || !IsWord(message[at - 1]);
    if (begins_word) word_begin = text.size();
    const bool device_number =
        IsDigit(message[at]) && IsBlockDevice(std::string_view(text).substr(word_begin));
    const std::size_t number = begins_word     ? NumberLength(message, at)
                               : device_number ? EndOf(message.substr(at), 0, IsDigit)
                                               : 0;
    text += number > 0 ? '#' : message[at];
    at += std::max<std::size_t>(number, 1);
  }
  return text;
}

/// Without blanks beside anything but letters and digits.
std::string WithoutLooseBlanks(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (message[at] != ' ' && message[at] != '\t') {
      text += message[at];
      continue;
    }
    if (text.empty() || !(IsDigit(text.back()) || IsLetter(text.back()))) continue;
    const std::size_t next = message.find_first_not_of(" \t", at);
    if (next == std::string_view::npos || !IsLetter(message[next])) continue;
    text += '_';
    at = next - 1;
  }
  return text;
}

}  // namespace

std::string KernelMessageId(std::string_view message) {
  std::string id = WithoutLooseBlanks(WithoutNumbers(WithoutNoise(message)));
  for (char& c : id) {
    if (c == '\\' || c == '"' || c == '$') c = '~';
    if (c < '!' || c > '~') c = '?';
  }
  if (id.size() > kMaxIdBytes) id.resize(kMaxIdBytes);
  id.erase(id.find_last_not_of("-_.,;:#!*[(") + 1);
  return id;
}

}  // namespace regressd::parse
