#include <algorithm>
#include <iterator>
#include <string>

#include "services/parse/perf_stat.h"
#include "services/parse/perf_stat_fields.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

// "1,234,567" and "2.04" as perf prints them with LC_ALL=C or an English locale.
std::optional<double> GroupedNumber(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return c != ','; });
  return ToDouble(digits);
}

// Takes "(62.51%)" or "( +-  0.33% )" off the end of `*text`; the number in it.
std::optional<double> TakeShare(std::string_view* text, bool spread) {
  const std::size_t open = text->rfind('(');
  if (open == std::string_view::npos || !text->ends_with(')')) return std::nullopt;
  std::string_view inner = Trim(text->substr(open + 1, text->size() - open - 2));
  if (!inner.ends_with('%') || inner.starts_with("+-") != spread) return std::nullopt;
  inner.remove_suffix(1);
  if (spread) inner.remove_prefix(2);
  const std::optional<double> share = ToDouble(Trim(inner));
  if (share) *text = Trim(text->substr(0, open));
  return share;
}

}  // namespace

const PerfStatRow* PerfStatReader::ReadHuman(std::string_view line) {
  std::string_view text = line;
  const std::optional<double> share = TakeShare(&text, false);
  row_.variance_percent = TakeShare(&text, true);
  const std::size_t hash = text.find('#');
  const std::string_view counts = Trim(text.substr(0, hash));
  SplitWords(counts, &fields_);

  // "Performance counter stats for ...", "0.204 seconds time elapsed" and the like.
  if (fields_.size() < 2 || fields_[1] == "seconds") return nullptr;
  std::size_t next = 0;
  const bool two_numbers = GroupedNumber(fields_[0]) && GroupedNumber(fields_[1]);
  const bool hole_follows = fields_[1] == "<not";
  if (two_numbers || (GroupedNumber(fields_[0]) && hole_follows)) {
    row_.time_s = GroupedNumber(fields_[next++]);
  }
  if (fields_[next] == "<not" && next + 1 < fields_.size()) {
    row_.status =
        fields_[next + 1] == "counted>" ? PerfCount::kNotCounted : PerfCount::kNotSupported;
    next += 2;
  } else if (const std::optional<double> value = GroupedNumber(fields_[next])) {
    row_.value = value;
    row_.percent_running = share.value_or(100);
    ++next;
  } else {
    return nullptr;
  }
  const std::size_t left = fields_.size() - next;
  if (left < 1 || left > 2) return nullptr;
  if (left == 2) row_.unit = std::string(fields_[next++]);
  row_.event = std::string(fields_[next]);

  if (hash != std::string_view::npos) {
    const std::string_view metric = Trim(text.substr(hash + 1));
    const std::size_t blank = metric.find(' ');
    const std::optional<double> value = GroupedNumber(metric.substr(0, blank));
    if (value && blank != std::string_view::npos) {
      row_.derived = PerfDerived{.value = *value, .unit = std::string(Trim(metric.substr(blank)))};
    }
  }
  return Finish();
}

}  // namespace regressd::parse
