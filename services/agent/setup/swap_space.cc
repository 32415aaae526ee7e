#include "services/agent/setup/swap_space.h"

#include <fmt/format.h>

#include "services/agent/setup/size.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

// The kernel refuses a swap space that is not larger than its header's page; below this none helps.
constexpr std::int64_t kMinSwapBytes = 1 << 20;

}  // namespace

absl::StatusOr<SwapSpec> ParseSwapSpec(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::optional<std::int64_t> size_bytes =
      colon == std::string_view::npos ? std::nullopt : ParseSize(text.substr(colon + 1));
  if ((kind != "file" && kind != "zram") || !size_bytes || *size_bytes < kMinSwapBytes) {
    return absl::InvalidArgumentError(fmt::format(
        "swap {}: write it as file:SIZE or zram:SIZE, for example zram:512M, 1M or more",
        parse::Quote(text)));
  }
  return SwapSpec{.kind = kind == "file" ? SwapSpec::Kind::kFile : SwapSpec::Kind::kZram,
                  .size_bytes = *size_bytes};
}

std::string SwapSpecText(const SwapSpec& spec) {
  const char* kind = spec.kind == SwapSpec::Kind::kFile ? "file" : "zram";
  return fmt::format("{}:{}", kind, SizeText(spec.size_bytes));
}

}  // namespace regressd::agent
