#include "services/model/profile_name.h"

#include <algorithm>
#include <cstddef>

namespace regressd::model {
namespace {

/// Where ".isra.0" begins, a mark with a number behind it; the whole length when it does not.
std::size_t FindNumbered(std::string_view symbol, std::string_view mark) {
  for (std::size_t at = symbol.find(mark); at != symbol.npos; at = symbol.find(mark, at + 1)) {
    const std::size_t digit = at + mark.size();
    if (digit < symbol.size() && symbol[digit] >= '0' && symbol[digit] <= '9') return at;
  }
  return symbol.size();
}

}  // namespace

std::string_view FunctionName(std::string_view symbol) {
  std::size_t end = symbol.size();
  for (const std::string_view mark : {".isra.", ".constprop.", ".part."}) {
    end = std::min(end, FindNumbered(symbol, mark));
  }
  symbol = symbol.substr(0, end);
  constexpr std::string_view kCold = ".cold";
  if (symbol.ends_with(kCold)) symbol.remove_suffix(kCold.size());
  return symbol;
}

std::string_view ProfileEvent(std::string_view metric_name) {
  constexpr std::string_view kPrefix = "perf-profile.";
  if (metric_name.starts_with(kPrefix)) metric_name.remove_prefix(kPrefix.size());
  return metric_name;
}

}  // namespace regressd::model
