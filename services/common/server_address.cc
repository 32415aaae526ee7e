#include "services/common/server_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "services/common/text_check.h"

namespace regressd::common {
namespace {

constexpr std::size_t kMaxHostBytes = 253;  // RFC 1035 3.1, as text.
constexpr int kMaxPort = 65535;

absl::Status Wrong(std::string_view address, std::string_view why) {
  // Not in these bytes on somebody's terminal.
  const bool is_printable = IsUtf8(address) && !HasControlCharacter(address);
  return absl::InvalidArgumentError(fmt::format(
      "server address{}: {}; write host:port, [IPv6]:port or unix:path",
      is_printable ? fmt::format(" \"{}\"", ClampUtf8(address, 100)) : std::string(), why));
}

bool IsPort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= kMaxPort;
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool IsHostName(std::string_view host) {
  if (host.empty() || host.size() > kMaxHostBytes) return false;
  return std::all_of(host.begin(), host.end(), IsHostCharacter);
}

template <typename Address>
bool Is(int family, std::string_view text) {
  Address ignored;
  return inet_pton(family, std::string(text).c_str(), &ignored) == 1;
}

// Digits and points are meant as IPv4; resolvers take less than four numbers for something else.
bool LooksLikeIpv4(std::string_view host) {
  return host.find_first_not_of("0123456789.") == std::string_view::npos;
}

absl::Status CheckPath(std::string_view address, std::string_view path) {
  if (path.empty()) return Wrong(address, "the socket has no name");
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return Wrong(address, fmt::format("the socket's name has {} bytes, the system takes {}",
                                      path.size(), sizeof(sockaddr_un::sun_path) - 1));
  }
  return absl::OkStatus();
}

absl::Status CheckHostAndPort(std::string_view address, std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return Wrong(address, "the ] is missing");
    host = text.substr(1, close - 1);
    if (!Is<in6_addr>(AF_INET6, host.substr(0, host.find('%')))) {
      return Wrong(address, "between [ and ] is no IPv6 address");
    }
    if (close + 1 != colon) return Wrong(address, "no port follows the ]");
  } else if (Is<in6_addr>(AF_INET6, text)) {
    return Wrong(address, "an IPv6 address stands in brackets, before its port");
  } else if (colon == std::string_view::npos) {
    return Wrong(address, "it has no port");
  } else if (host.empty()) {
    return Wrong(address, "it has no host");
  } else if (LooksLikeIpv4(host) ? !Is<in_addr>(AF_INET, host) : !IsHostName(host)) {
    return Wrong(address, "its host is neither a name nor an address");
  }
  if (!IsPort(text.substr(colon + 1))) {
    return Wrong(address, fmt::format("its port is no number from 1 to {}", kMaxPort));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckServerAddress(std::string_view address) {
  if (address.empty()) return Wrong(address, "it is empty");
  if (!IsUtf8(address) || HasControlCharacter(address)) {
    return Wrong(address, "it has a control character or is not UTF-8");
  }
  constexpr std::array<std::string_view, 2> kUrls = {"http://", "https://"};
  for (const std::string_view url : kUrls) {
    if (address.starts_with(url)) {
      return Wrong(address, fmt::format("it is no web address; leave out {}", url));
    }
  }
  constexpr std::array<std::string_view, 3> kSockets = {"unix-abstract:", "unix://", "unix:"};
  for (const std::string_view socket : kSockets) {
    if (address.starts_with(socket)) return CheckPath(address, address.substr(socket.size()));
  }
  constexpr std::string_view kDns = "dns:///";
  return CheckHostAndPort(address,
                          address.starts_with(kDns) ? address.substr(kDns.size()) : address);
}

}  // namespace regressd::common
