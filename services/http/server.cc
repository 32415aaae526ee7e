#include "services/http/server.h"

#include <httplib.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "fmt/format.h"
#include "services/http/connections.h"
#include "services/http/error_page.h"
#include "services/http/listen_socket.h"
#include "services/http/request_extent.h"
#include "spdlog/spdlog.h"

namespace regressd::http {
namespace {

constexpr std::size_t kMaxQueryBytes = 8 << 10;

// A request that is there as a whole, and the reply to it as it grows.
class MemoryStream : public httplib::Stream {
 public:
  MemoryStream(std::string_view request, const std::string& peer_address)
      : rest_(request), peer_address_(peer_address) {}

  bool is_readable() const override { return !rest_.empty(); }
  // Not marked as overriding: the library asks for the first before 0.19, for the others since.
  bool is_writable() const { return true; }
  bool wait_readable() const { return !rest_.empty(); }
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }
  ssize_t read(char* data, std::size_t size) override {
    const std::size_t count = rest_.copy(data, size);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* data, std::size_t size) override {
    written_.append(data, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = peer_address_;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  socket_t socket() const override { return INVALID_SOCKET; }

  std::string TakeWritten() { return std::move(written_); }

 private:
  std::string_view rest_;
  const std::string& peer_address_;
  std::string written_;
};

// The library's HTTP without its sockets and threads.
class Protocol : public httplib::Server {
 public:
  Reply Answer(std::string_view request, const std::string& peer_address, bool is_last) {
    MemoryStream stream(request, peer_address);
    bool close = is_last;
    const bool answered = Process(*this, stream, peer_address, is_last, close);
    return {.bytes = stream.TakeWritten(), .close = close || !answered};
  }

 private:
  // A template, for the library changed the parameters in 0.15.
  template <typename Self>
  static bool Process(Self& self, httplib::Stream& stream, const std::string& peer_address,
                      bool is_last, bool& close) {
    const std::function<void(httplib::Request&)> no_setup;
    if constexpr (requires { self.process_request(stream, is_last, close, no_setup); }) {
      return self.process_request(stream, is_last, close, no_setup);
    } else {
      return self.process_request(stream, peer_address, 0, std::string(), 0, is_last, close,
                                  no_setup);
    }
  }
};

Request FromLibrary(const httplib::Request& from) {
  Request request;
  request.path = from.path;
  request.query.insert(from.params.begin(), from.params.end());
  request.peer_address = from.remote_addr;
  for (const auto& [name, value] : from.headers) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    request.headers.emplace(std::move(lower), value);  // The first of several wins.
  }
  return request;
}

void ToLibrary(Response&& from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) {
    to.headers.erase(name);  // In place of a default.
    to.set_header(name.c_str(), value);
  }
  to.set_content(std::move(from.body), from.content_type.c_str());
}

}  // namespace

std::optional<std::string> Request::Query(std::string_view key) const {
  const auto found = query.find(std::string(key));
  if (found == query.end()) return std::nullopt;
  return found->second;
}

struct HttpServer::Impl {
  // Our own routes: RE2 takes time linear in the path, std::regex takes a stack frame a character.
  struct Route {
    std::unique_ptr<RE2> pattern;
    Handler handler;
  };

  Protocol server;
  std::vector<Route> routes;
  int port = 0;
  std::optional<Connections> connections;  ///< Last: it uses the others.

  void Configure();
  Response Answer(Request& request) const;
  Response AnswerSafely(Request& request) const;
};

void HttpServer::Impl::Configure() {
  server.set_payload_max_length(kMaxBodyBytes);
  server.set_keep_alive_max_count(1000);
  server.set_keep_alive_timeout(5);
  server.set_default_headers({
      {"Content-Security-Policy",
       "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
       "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
  });
  const auto read = [this](const httplib::Request& from, httplib::Response& to) {
    Request request = FromLibrary(from);
    ToLibrary(AnswerSafely(request), to);
  };
  const auto refuse = [](const httplib::Request& from, httplib::Response& to) {
    Response response = ErrorPage(FromLibrary(from), 405, "pages here are read with GET or HEAD");
    response.headers["Allow"] = "GET, HEAD";
    ToLibrary(std::move(response), to);
  };
  server.Get(".*", read);  // And HEAD.
  server.Post(".*", refuse);
  server.Put(".*", refuse);
  server.Patch(".*", refuse);
  server.Delete(".*", refuse);
  server.Options(".*", refuse);
  // What the library refuses by itself, before a handler sees it.
  server.set_error_handler([](const httplib::Request& from, httplib::Response& to) {
    if (!to.body.empty()) return;
    const int status = to.status;
    ToLibrary(ErrorPage(FromLibrary(from), status, "the request cannot be read as it is"), to);
  });
}

Response HttpServer::Impl::Answer(Request& request) const {
  std::size_t query_bytes = 0;
  for (const auto& [key, value] : request.query) query_bytes += key.size() + value.size();
  if (query_bytes > kMaxQueryBytes) return ErrorPage(request, 414, "the query is too long");

  for (const Route& route : routes) {
    const int groups = route.pattern->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups));
    if (!route.pattern->Match(request.path, 0, request.path.size(), RE2::ANCHOR_BOTH, found.data(),
                              groups)) {
      continue;
    }
    for (std::size_t i = 1; i < found.size(); ++i) {
      request.captures.emplace_back(found[i].data() == nullptr
                                        ? std::string()
                                        : std::string(found[i].data(), found[i].size()));
    }
    return route.handler(request);
  }
  return ErrorPage(request, 404, fmt::format("there is no page {}", request.path));
}

Response HttpServer::Impl::AnswerSafely(Request& request) const try {
  return Answer(request);
} catch (const std::exception& e) {
  spdlog::error("page {}: {}", request.path, e.what());
  return ErrorPage(request, 500, "regressd met an error of its own; its log has the details");
}

HttpServer::HttpServer() : impl_(std::make_unique<Impl>()) { impl_->Configure(); }

HttpServer::~HttpServer() { Stop(); }

void HttpServer::Get(std::string_view pattern, Handler handler) {
  auto compiled = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()));
  if (!compiled->ok()) {
    spdlog::critical("route {}: {}", pattern, compiled->error());
    std::abort();  // A broken invariant: routes are written in the program.
  }
  impl_->routes.push_back({.pattern = std::move(compiled), .handler = std::move(handler)});
}

absl::Status HttpServer::Start(std::string_view listen) {
  absl::StatusOr<ListenSocket> socket = ListenSocket::Open(listen);
  if (!socket.ok()) return socket.status();
  impl_->port = socket->port();
  impl_->connections.emplace(
      *std::move(socket),
      [this](const std::string& request, const std::string& peer_address, bool is_last) {
        return impl_->server.Answer(request, peer_address, is_last);
      });
  return absl::OkStatus();
}

int HttpServer::port() const { return impl_->port; }

void HttpServer::Stop() { impl_->connections.reset(); }

}  // namespace regressd::http
