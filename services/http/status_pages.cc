#include "services/http/status_pages.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <utility>

#include "fmt/format.h"

namespace regressd::http {

void AddMetricsPage(HttpServer& server, const prometheus::Registry& registry) {
  server.Get("/metrics", [&registry](const Request&) {
    Response response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = prometheus::TextSerializer().Serialize(registry.Collect());
    return response;
  });
}

void AddHealthPage(HttpServer& server, std::function<absl::Status()> health) {
  server.Get("/healthz", [health = std::move(health)](const Request&) {
    const absl::Status status = health();
    Response response;
    response.status = status.ok() ? 200 : 503;
    response.content_type = "text/plain; charset=utf-8";
    response.headers["Cache-Control"] = "no-store";
    response.body = status.ok() ? "ok\n" : fmt::format("{}\n", std::string(status.message()));
    return response;
  });
}

}  // namespace regressd::http
