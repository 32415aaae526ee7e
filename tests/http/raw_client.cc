#include "tests/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fmt/format.h"

namespace regressd::http {

namespace {

// Whether the answer's head and as much body as the head announces are there.
bool Whole(const std::string& answer) {
  const std::size_t head_end = answer.find("\r\n\r\n");
  const std::size_t length_at = answer.find("Content-Length: ");
  if (head_end == std::string::npos || length_at > head_end) return false;
  return answer.size() >= head_end + 4 + std::stoul(answer.substr(length_at + 16));
}

}  // namespace

std::string Exchange(int port, std::string_view request) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, request.data(), request.size(), MSG_NOSIGNAL) >= 0) {
    char buffer[4096];
    for (ssize_t n = 0; !Whole(answer) && (n = read(fd, buffer, sizeof buffer)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(fd);
  return answer;
}

std::string Fetch(int port, std::string_view method, std::string_view target,
                  std::string_view headers, std::string_view body) {
  return Exchange(port,
                  fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\r\n{}",
                              method, target, headers, body));
}

}  // namespace regressd::http
