#include "services/parse/text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "services/common/text_check.h"

namespace regressd::parse {
namespace {

constexpr std::string_view kBlanks = " \t";

template <typename Number>
std::optional<Number> ToNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool NextLine(std::string_view* rest, std::string_view* line, bool* terminated) {
  if (rest->empty()) return false;
  const std::size_t end = rest->find('\n');
  if (terminated != nullptr) *terminated = end != std::string_view::npos;
  *line = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  if (!line->empty() && line->back() == '\r') line->remove_suffix(1);
  return true;
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

void SplitWords(std::string_view text, std::vector<std::string_view>* out) {
  out->clear();
  std::size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find_first_of(kBlanks, begin);
    out->push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
}

void SplitFields(std::string_view text, char separator, std::vector<std::string_view>* out) {
  out->clear();
  while (true) {
    const std::size_t end = text.find(separator);
    out->push_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> ToInt(std::string_view text) { return ToNumber<std::int64_t>(text); }

std::optional<std::uint64_t> ToUnsigned(std::string_view text) {
  return ToNumber<std::uint64_t>(text);
}

std::optional<double> ToDouble(std::string_view text) {
  const std::optional<double> value = ToNumber<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::string_view NameFault(std::string_view text) {
  // Leaves room for the prefix within the 512 bytes that the protocol allows.
  constexpr std::size_t kLongestName = 384;
  if (text.empty()) return "is empty";
  if (text.size() > kLongestName) return "is longer than 384 bytes";
  if (!common::IsUtf8(text)) return "is not UTF-8";
  if (common::HasControlCharacter(text)) return "has a control character";
  return "";
}

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return fmt::format("\"{}{}\"", Printable(text.substr(0, kLongest)),
                     text.size() > kLongest ? "..." : "");
}

}  // namespace regressd::parse
