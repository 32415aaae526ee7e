#include "services/http/listen_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "fmt/format.h"

namespace regressd::http {
namespace {

struct HostPort {
  std::string host;
  std::string port;
};

absl::StatusOr<HostPort> ParseListen(std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : listen.substr(colon + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size() || number < 0 || number > 65535) {
    return absl::InvalidArgumentError(fmt::format(
        "'{}' is not an address to listen on; write host:port, for example 127.0.0.1:7879",
        listen));
  }
  std::string_view host = listen.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return HostPort{host.empty() ? "0.0.0.0" : std::string(host), std::string(port)};
}

int Bind(const addrinfo& address) {
  const int fd =
      socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) return -1;
  // Never SO_REUSEPORT, with which two servers would share a port and neither know.
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, address.ai_addr, address.ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  close(fd);
  return -1;
}

int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

absl::StatusOr<ListenSocket> ListenSocket::Open(std::string_view listen) {
  const absl::StatusOr<HostPort> wanted = ParseListen(listen);
  if (!wanted.ok()) return wanted.status();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  getaddrinfo(wanted->host.c_str(), wanted->port.c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    if (const int fd = Bind(*address); fd >= 0) return ListenSocket(fd, PortOf(fd));
  }
  return absl::UnavailableError(fmt::format(
      "cannot listen for HTTP on {}: the port is taken or the address is not of this machine; "
      "choose another with --http-listen",
      listen));
}

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), port_(other.port_) {}

ListenSocket::~ListenSocket() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace regressd::http
