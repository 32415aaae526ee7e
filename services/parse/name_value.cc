#include "services/parse/name_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

constexpr std::size_t kLongestUnit = 16;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsName(std::string_view word) {
  constexpr std::string_view kMarks = "_.-/%@+";
  return !word.empty() && (IsLetter(word[0]) || word[0] == '_') &&
         std::all_of(word.begin(), word.end(), [&](char c) {
           return IsLetter(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos;
         });
}

// Meant as a number, whether or not it is one.
bool BeginsLikeNumber(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  if (word == "nan" || word == "inf" || word == "NaN" || word == "Inf") return true;
  if (!word.empty() && word[0] == '.') word.remove_prefix(1);
  return !word.empty() && IsDigit(word[0]);
}

}  // namespace

NameValueLine ParseNameValue(std::string_view line, NameValue* out) {
  constexpr std::size_t kMostWords = 4;
  std::vector<std::string_view> words;
  SplitWords(line, &words);
  if (words.size() < 2 || words.size() > kMostWords) return NameValueLine::kOther;
  std::string_view name = words[0];
  if (name.ends_with(':') || name.ends_with('=')) name.remove_suffix(1);
  if (!IsName(name) || !BeginsLikeNumber(words[1])) return NameValueLine::kOther;

  NameValue result;
  result.name = std::string(name);
  std::size_t next = 2;
  if (next < words.size() && !FromString(words[next], &result.better)) {
    if (words[next].size() > kLongestUnit) return NameValueLine::kOther;
    result.unit = std::string(words[next++]);
  }
  if (next < words.size()) {
    result.says_better = FromString(words[next++], &result.better);
    if (!result.says_better || next < words.size()) return NameValueLine::kOther;
  }
  const std::optional<double> value = ToDouble(words[1]);
  if (!value) return NameValueLine::kBroken;
  result.value = *value;
  *out = std::move(result);
  return NameValueLine::kResult;
}

NameValues ParseNameValues(std::string_view text) {
  NameValues result;
  std::string_view line;
  NameValue value;
  for (int line_number = 1; NextLine(&text, &line); ++line_number) {
    switch (ParseNameValue(line, &value)) {
      case NameValueLine::kResult:
        value.line = line_number;
        result.results.push_back(value);
        break;
      case NameValueLine::kBroken:
        result.problems.push_back(
            Error(line_number, "not_a_number",
                  fmt::format("{} looks like a result, but its value is no finite decimal number",
                              Quote(line))));
        break;
      case NameValueLine::kOther:
        break;
    }
  }
  return result;
}

}  // namespace regressd::parse
