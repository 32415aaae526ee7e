#pragma once

#include <functional>

#include "absl/status/status.h"
#include "services/http/server.h"

namespace prometheus {
class Registry;
}

namespace regressd::http {

/// Adds /metrics: what `registry`, which outlives the server, holds, in Prometheus' text format.
void AddMetricsPage(HttpServer& server, const prometheus::Registry& registry);

/// Adds /healthz: 200 and "ok" while `health` is OK, else 503 and its message. `health` is called
/// from several threads.
void AddHealthPage(HttpServer& server, std::function<absl::Status()> health);

}  // namespace regressd::http
