#include "services/http/request_extent.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace regressd::http {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::optional<std::size_t> HeadSize(std::string_view received) {
  // RFC 9112 2.2: a lone line feed may end a line, too.
  const std::size_t crlf = received.find("\r\n\r\n");
  const std::size_t lf = received.find("\n\n");
  if (crlf == std::string_view::npos && lf == std::string_view::npos) return std::nullopt;
  return crlf < lf ? crlf + 4 : lf + 2;
}

// The body's length; unset when it cannot be known from the head.
std::optional<std::size_t> BodySize(const std::string& head) {
  constexpr std::string_view kLength = "\ncontent-length:";
  if (head.find("\ntransfer-encoding:") != std::string::npos) return std::nullopt;
  const std::size_t at = head.find(kLength);
  if (at == std::string::npos) return 0;
  const std::size_t begin = head.find_first_not_of(" \t", at + kLength.size());
  if (begin == std::string::npos) return std::nullopt;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(head.data() + begin, head.data() + head.size(), size);
  if (error != std::errc() || (*end != '\r' && *end != '\n' && *end != ' ')) return std::nullopt;
  return size;
}

}  // namespace

std::optional<RequestExtent> FindRequest(std::string_view received) {
  const std::optional<std::size_t> head = HeadSize(received.substr(0, kMaxHeadBytes));
  if (!head) {
    if (received.size() < kMaxHeadBytes) return std::nullopt;
    return RequestExtent{.size_bytes = received.size(), .is_last = true};
  }
  const std::optional<std::size_t> body = BodySize(Lower(received.substr(0, *head)));
  if (!body || *body > kMaxBodyBytes) return RequestExtent{.size_bytes = *head, .is_last = true};
  if (received.size() - *head < *body) return std::nullopt;
  return RequestExtent{.size_bytes = *head + *body, .is_last = false};
}

}  // namespace regressd::http
