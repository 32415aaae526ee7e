#include "storage/run_prefix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "storage/storable_text.h"

namespace regressd::storage {
namespace {

constexpr std::size_t kMinDigits = 4;
constexpr std::size_t kUuidDigits = 32;

bool IsDashPlace(std::size_t digits_before) {
  return digits_before == 8 || digits_before == 12 || digits_before == 16 || digits_before == 20;
}

}  // namespace

absl::StatusOr<std::string> NormalRunPrefix(std::string_view typed) {
  if (auto status = CheckStorable("run", typed); !status.ok()) return status;
  std::string prefix;
  std::size_t digit_count = 0;
  for (const char c : typed) {
    if (c == '-' && IsDashPlace(digit_count)) continue;
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool digit = (lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f');
    if (!digit || digit_count == kUuidDigits) {
      return absl::InvalidArgumentError(fmt::format(
          "run '{}' is no UUID nor the begin of one; take it from the list of runs", typed));
    }
    if (IsDashPlace(digit_count)) prefix.push_back('-');
    prefix.push_back(lower);
    ++digit_count;
  }
  if (digit_count < kMinDigits) {
    return absl::InvalidArgumentError(
        fmt::format("run '{}' is too short; give at least {} digits", typed, kMinDigits));
  }
  return prefix;
}

absl::Status CheckOneRun(std::string_view typed, std::span<const std::string> uuids) {
  if (uuids.empty()) return absl::NotFoundError(fmt::format("there is no run {}", typed));
  if (uuids.size() == 1) return absl::OkStatus();
  const auto shown = uuids.first(std::min<std::size_t>(uuids.size(), 3));
  return absl::InvalidArgumentError(fmt::format("run {} names several: {}{}; give more digits",
                                                typed, fmt::join(shown, ", "),
                                                uuids.size() > shown.size() ? ", ..." : ""));
}

absl::Status CheckExclusion(std::string_view reason, std::string_view excluded_by) {
  if (reason.empty()) {
    return absl::InvalidArgumentError("a run is excluded for a reason; give one");
  }
  if (auto status = CheckStorable("reason", reason); !status.ok()) return status;
  return CheckStorable("excluded by", excluded_by);
}

}  // namespace regressd::storage
