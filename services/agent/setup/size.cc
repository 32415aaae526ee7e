#include "services/agent/setup/size.h"

#include <fmt/format.h>

#include <cmath>

#include "services/parse/text.h"

namespace regressd::agent {
namespace {

constexpr std::string_view kUnits = "KMGT";
constexpr double kLargest = 1e18;  // Below 2^63, and more than a machine has.

}  // namespace

std::optional<std::int64_t> ParseSize(std::string_view text) {
  std::int64_t unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    const char upper = last >= 'a' && last <= 'z' ? static_cast<char>(last - 'a' + 'A') : last;
    if (const std::size_t at = kUnits.find(upper); at != std::string_view::npos) {
      unit = std::int64_t{1} << (10 * (at + 1));
      text.remove_suffix(1);
    }
  }
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<double> number = parse::ToDouble(text);
  if (!number) return std::nullopt;
  const double size_bytes = *number * static_cast<double>(unit);
  if (size_bytes < 1 || size_bytes > kLargest || size_bytes != std::floor(size_bytes)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(size_bytes);
}

std::string SizeText(std::int64_t size_bytes) {
  for (std::size_t i = kUnits.size(); i > 0; --i) {
    const std::int64_t unit = std::int64_t{1} << (10 * i);
    if (size_bytes >= unit && size_bytes % unit == 0) {
      return fmt::format("{}{}", size_bytes / unit, kUnits[i - 1]);
    }
  }
  return std::to_string(size_bytes);
}

}  // namespace regressd::agent
