#include "tests/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "fmt/format.h"

namespace regressd::http {

namespace {

// The size of the answer with as much body as its head announces; 0 while it is not whole.
std::size_t SizeOf(const std::string& answer) {
  const std::size_t head_end = answer.find("\r\n\r\n");
  const std::size_t length_at = answer.find("Content-Length: ");
  if (head_end == std::string::npos || length_at > head_end) return 0;
  const std::size_t size = head_end + 4 + std::stoul(answer.substr(length_at + 16));
  return answer.size() >= size ? size : 0;
}

}  // namespace

RawConnection::RawConnection(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(std::exchange(fd_, -1));
  }
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), received_(std::move(other.received_)) {}

RawConnection::~RawConnection() {
  if (fd_ >= 0) close(fd_);
}

bool RawConnection::Send(std::string_view bytes) {
  return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::string RawConnection::ReadAnswer() {
  char buffer[4096];
  for (ssize_t n = 0; SizeOf(received_) == 0 && (n = read(fd_, buffer, sizeof buffer)) > 0;) {
    received_.append(buffer, static_cast<std::size_t>(n));
  }
  std::string rest;
  if (const std::size_t size = SizeOf(received_); size > 0) rest = received_.substr(size);
  std::string answer = std::exchange(received_, rest);
  answer.resize(answer.size() - rest.size());
  return answer;
}

std::string Exchange(int port, std::string_view request) {
  RawConnection connection(port);
  return connection.Send(request) ? connection.ReadAnswer() : "";
}

std::string Fetch(int port, std::string_view method, std::string_view target,
                  std::string_view headers, std::string_view body) {
  return Exchange(port,
                  fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\r\n{}",
                              method, target, headers, body));
}

}  // namespace regressd::http
