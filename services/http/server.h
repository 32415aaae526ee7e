#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::http {

struct Request {
  std::string path;
  std::vector<std::string> captures;              ///< Of the route's regular expression, from 1.
  std::multimap<std::string, std::string> query;  ///< Decoded.
  std::map<std::string, std::string> headers;     ///< Names in lower case.
  std::string peer_address;

  /// The first value of a query key.
  std::optional<std::string> Query(std::string_view key) const;
};

struct Response {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  std::string body;
  std::map<std::string, std::string> headers;
};

/// The one HTTP port: routes to handlers, with security headers on every answer (CSP without
/// scripts, nosniff, no-referrer). The one place that includes cpp-httplib. Handlers run on a
/// bounded pool of threads, and may be called from several at once; clients that are slow or silent
/// cost none of them (connections.h).
class HttpServer {
 public:
  using Handler = std::function<Response(const Request&)>;

  HttpServer();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Routes GET and HEAD of paths that match `pattern` (a whole-path regular expression). Before
  /// Start only.
  void Get(std::string_view pattern, Handler handler);

  /// Listens on "host:port", port 0 for any, and serves in threads of its own. Errors: Unavailable
  /// when it cannot bind.
  absl::Status Start(std::string_view listen);
  /// The port that it listens on.
  int port() const;
  /// Finishes running requests and stops. Idempotent.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace regressd::http
