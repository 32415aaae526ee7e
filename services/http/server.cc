#include "services/http/server.h"

#include <httplib.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "fmt/format.h"
#include "services/http/error_page.h"
#include "services/http/task_queue.h"
#include "spdlog/spdlog.h"

namespace regressd::http {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kMaxQueued = 64;
constexpr std::size_t kMaxBodyBytes = 64 << 10;
constexpr std::size_t kMaxQueryBytes = 8 << 10;

// cpp-httplib's interface over ours. Its enqueue returns void before 0.14 and "taken" since.
class QueueAdapter : public httplib::TaskQueue {
 public:
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>{}));

  Taken enqueue(std::function<void()> task) override {
    queue_.Enqueue(std::move(task));
    return static_cast<Taken>(true);
  }
  void shutdown() override { queue_.Shutdown(); }

 private:
  regressd::http::TaskQueue queue_{kThreads, kMaxQueued};
};

struct HostPort {
  std::string host;
  int port = 0;
};

absl::StatusOr<HostPort> ParseListen(std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  HostPort result;
  const std::string_view port = colon == std::string_view::npos ? "" : listen.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), result.port);
  if (error != std::errc{} || end != port.data() + port.size() || result.port < 0 ||
      result.port > 65535) {
    return absl::InvalidArgumentError(fmt::format(
        "'{}' is not an address to listen on; write host:port, for example 127.0.0.1:7879",
        listen));
  }
  std::string_view host = listen.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  result.host = host.empty() ? "0.0.0.0" : std::string(host);
  return result;
}

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

  httplib::Server server;
  std::vector<Route> routes;
  std::thread listener;
  std::atomic<bool> listener_ended{false};
  int port = 0;

  void Configure();
  Response Answer(Request& request) const;
  Response AnswerSafely(Request& request) const;
};

void HttpServer::Impl::Configure() {
  server.new_task_queue = [] { return new QueueAdapter; };  // The library deletes it.
  server.set_payload_max_length(kMaxBodyBytes);
  server.set_keep_alive_max_count(1000);
  server.set_keep_alive_timeout(5);
  server.set_read_timeout(5);
  server.set_write_timeout(10);
  server.set_tcp_nodelay(true);
  // The library's own default is SO_REUSEPORT, with which two servers would share a port and
  // neither know.
  server.set_socket_options([](auto socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
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
  const absl::StatusOr<HostPort> address = ParseListen(listen);
  if (!address.ok()) return address.status();
  int port = address->port;
  if (port == 0) {
    port = impl_->server.bind_to_any_port(address->host.c_str());
  } else if (!impl_->server.bind_to_port(address->host.c_str(), port)) {
    port = -1;
  }
  if (port <= 0) {
    return absl::UnavailableError(fmt::format(
        "cannot listen for HTTP on {}: the port is taken or the address is not of this machine; "
        "choose another with --http-listen",
        listen));
  }
  impl_->port = port;
  impl_->listener = std::thread([this] {
    pthread_setname_np(pthread_self(), "http-accept");
    impl_->server.listen_after_bind();
    impl_->listener_ended = true;
  });
  // Until it runs, Stop would have nothing to stop.
  while (!impl_->server.is_running() && !impl_->listener_ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return absl::OkStatus();
}

int HttpServer::port() const { return impl_->port; }

void HttpServer::Stop() {
  if (!impl_->listener.joinable()) return;
  impl_->server.stop();
  impl_->listener.join();
}

}  // namespace regressd::http
