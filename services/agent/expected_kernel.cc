#include "services/agent/expected_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace regressd::agent {
namespace {

// What git abbreviates to at least.
constexpr std::size_t kMinShaDigits = 7;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool IsSha(std::string_view text) {
  return text.size() >= kMinShaDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The digits of "...-g<sha>...", as CONFIG_LOCALVERSION_AUTO and git describe write it; or "".
std::string_view NamedSha(std::string_view text) {
  for (std::size_t at = text.find("-g"); at != std::string_view::npos;
       at = text.find("-g", at + 1)) {
    std::string_view rest = text.substr(at + 2);
    rest = rest.substr(0, rest.find_first_not_of("0123456789abcdef"));
    if (IsSha(rest)) return rest;
  }
  return {};
}

bool SameSha(std::string_view a, std::string_view b) {
  return !a.empty() && !b.empty() && (a.starts_with(b) || b.starts_with(a));
}

/// "v6.18-rc1" is the release "6.18.0-rc1": a tag leaves out the patch level 0.
std::string ReleaseOfTag(std::string_view tag) {
  if (!tag.starts_with('v')) return "";
  tag.remove_prefix(1);
  const std::size_t end = std::min(tag.find('-'), tag.size());
  std::string numbers(tag.substr(0, end));
  if (std::count(numbers.begin(), numbers.end(), '.') == 1) numbers += ".0";
  return numbers + std::string(tag.substr(end));
}

}  // namespace

bool IsKernel(std::string_view expected, std::string_view release) {
  if (expected == release || ReleaseOfTag(expected) == release) return true;
  const std::string wanted = Lower(expected);
  const std::string running = Lower(release);
  return SameSha(IsSha(wanted) ? wanted : NamedSha(wanted), NamedSha(running));
}

absl::Status CheckKernel(std::string_view expected, std::string_view release) {
  if (IsKernel(expected, release)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("kernel {} is expected, and {} runs: boot the right one, or leave out "
                  "--expect-kernel",
                  expected, release));
}

}  // namespace regressd::agent
