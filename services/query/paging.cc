#include "services/query/paging.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "absl/strings/escaping.h"
#include "services/common/error_details.h"
#include "services/model/metric.h"

namespace regressd::query {
namespace {

constexpr std::size_t kChecksumSize = 16;  // Hash63 as hex.

std::string Checksum(std::string_view parameters, std::string_view position) {
  return fmt::format("{:016x}", model::Hash63(fmt::format("{}{}{}", parameters, '\0', position)));
}

absl::Status BadToken() {
  return common::InvalidField("page_token",
                              "does not continue this list; send the next_page_token of the last "
                              "answer with unchanged other fields, or none to start anew");
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string NextPageToken(const Page& page, std::initializer_list<std::string> position) {
  const std::string joined = fmt::format("{}", fmt::join(position, std::string_view("\0", 1)));
  return absl::WebSafeBase64Escape(Checksum(page.parameters, joined) + joined);
}

absl::StatusOr<Page> MakePage(std::int32_t size, std::string_view token, std::string parameters,
                              PageLimits limits, std::size_t part_count) {
  if (size < 0) {
    return common::InvalidField("page_size", "is negative; 0 asks for the default");
  }
  Page page{.size = size == 0 ? limits.default_size : std::min(size, limits.max_size),
            .position = {},
            .parameters = std::move(parameters)};
  if (token.empty()) return page;

  std::string plain;
  if (!absl::WebSafeBase64Unescape(std::string(token), &plain) || plain.size() < kChecksumSize) {
    return BadToken();
  }
  const std::string joined = plain.substr(kChecksumSize);
  if (plain.substr(0, kChecksumSize) != Checksum(page.parameters, joined)) return BadToken();
  page.position = Split(joined);
  if (page.position.size() != part_count) return BadToken();
  return page;
}

absl::StatusOr<std::int64_t> PositionNumber(const std::string& part) {
  std::int64_t number = 0;
  const char* const end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, number);
  if (error != std::errc() || stop != end) return BadToken();
  return number;
}

bool AnswerBudget::Take(std::size_t bytes) {
  // Tag and length of an item in a repeated field.
  constexpr std::size_t kFramingBytes = 6;
  if (!empty_ && used_bytes_ + bytes + kFramingBytes > max_bytes_) return false;
  used_bytes_ += bytes + kFramingBytes;
  empty_ = false;
  return true;
}

}  // namespace regressd::query
