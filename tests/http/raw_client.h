#pragma once

#include <string>
#include <string_view>

namespace regressd::http {

/// Sends `request` as it is to 127.0.0.1:`port` and returns everything that comes until the server
/// closes.
std::string Exchange(int port, std::string_view request);

/// "METHOD target HTTP/1.1", a Host, `headers` (each ending in CRLF), a wish to close, and `body`.
std::string Fetch(int port, std::string_view method, std::string_view target,
                  std::string_view headers = "", std::string_view body = "");

/// A connection to 127.0.0.1:`port` that says only what it is told.
class RawConnection {
 public:
  explicit RawConnection(int port);
  ~RawConnection();
  RawConnection(RawConnection&& other) noexcept;
  RawConnection& operator=(RawConnection&&) = delete;

  bool Send(std::string_view bytes);
  /// One whole answer with its body; what came until the server closed, if that was before.
  std::string ReadAnswer();

 private:
  int fd_;
  std::string received_;
};

}  // namespace regressd::http
