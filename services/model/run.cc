#include "services/model/run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "services/model/names.h"

namespace regressd::model {
namespace {

constexpr Names<RunState, 4> kStates{{
    {RunState::kOpen, "open"},
    {RunState::kComplete, "complete"},
    {RunState::kFailed, "failed"},
    {RunState::kIncomplete, "incomplete"},
}};
constexpr Names<SourceContent, 4> kContents{{
    {SourceContent::kIntSamples, "int"},
    {SourceContent::kDoubleSamples, "double"},
    {SourceContent::kStacks, "stacks"},
    {SourceContent::kObservations, "observations"},
}};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<RunKey> ParseRunUuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  RunKey key;
  std::array<std::uint64_t, 2> halves{};
  int digit_count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      key.uuid.push_back('-');
      continue;
    }
    const int digit = HexDigit(text[i]);
    if (digit < 0) return std::nullopt;
    auto& half = halves[digit_count++ < 16 ? 0 : 1];
    half = half << 4 | static_cast<std::uint64_t>(digit);
    key.uuid.push_back("0123456789abcdef"[digit]);
  }
  key.run_id = static_cast<std::int64_t>((halves[0] ^ halves[1]) &
                                         std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  if (key.run_id == 0) return std::nullopt;
  return key;
}

std::optional<double> LoadBefore(const MachineFacts& facts) {
  const auto found = facts.settings.find("loadavg_at_start");
  if (found == facts.settings.end()) return std::nullopt;
  // As /proc/loadavg: "0.52 0.40 0.30 2/345 12345".
  const std::string& text = found->second;
  double load = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), load);
  if (error != std::errc() || !std::isfinite(load) || load < 0) return std::nullopt;
  // The last field but one counts who runs now, its reader included.
  const std::size_t slash = text.find('/');
  const std::size_t blank = text.rfind(' ', slash);
  int running = 0;
  if (slash == text.npos || blank == text.npos ||
      std::from_chars(text.data() + blank + 1, text.data() + slash, running).ec != std::errc()) {
    return load;
  }
  return std::min(load, std::max(0.0, running - 1.0));
}

std::string_view ToString(RunState state) { return NameOf(kStates, state); }
bool FromString(std::string_view text, RunState* out) { return ValueOf(kStates, text, out); }
std::string_view ToString(SourceContent content) { return NameOf(kContents, content); }
bool FromString(std::string_view text, SourceContent* out) { return ValueOf(kContents, text, out); }

}  // namespace regressd::model
