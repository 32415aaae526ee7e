#pragma once

#include <string_view>

#include "absl/status/statusor.h"

namespace regressd::http {

/// A socket that listens for TCP connections and does not block. Closed when it goes.
class ListenSocket {
 public:
  /// Listens on "host:port", port 0 for any. Errors: InvalidArgument when that is no such address;
  /// Unavailable when it cannot be had.
  static absl::StatusOr<ListenSocket> Open(std::string_view listen);

  ListenSocket(ListenSocket&& other) noexcept;
  ListenSocket& operator=(ListenSocket&&) = delete;
  ~ListenSocket();

  int fd() const { return fd_; }
  int port() const { return port_; }

 private:
  ListenSocket(int fd, int port) : fd_(fd), port_(port) {}

  int fd_;
  int port_;
};

}  // namespace regressd::http
