#include "services/http/status_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include "tests/http/raw_client.h"

namespace regressd::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(StatusPagesTest, MetricsAreInPrometheusTextFormat) {
  prometheus::Registry registry;
  prometheus::BuildCounter()
      .Name("regressd_batches_total")
      .Help("Batches stored.")
      .Register(registry)
      .Add({})
      .Increment(3);
  HttpServer server;
  AddMetricsPage(server, registry);
  ASSERT_TRUE(server.Start("127.0.0.1:0").ok());
  // https://prometheus.io/docs/instrumenting/exposition_formats/
  EXPECT_THAT(Fetch(server.port(), "GET", "/metrics"),
              AllOf(StartsWith("HTTP/1.1 200 "),
                    HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
                    HasSubstr("# HELP regressd_batches_total Batches stored.\n"
                              "# TYPE regressd_batches_total counter\n"
                              "regressd_batches_total 3")));
}

TEST(StatusPagesTest, HealthIsOkOrSaysWhyNot) {
  absl::Status health;
  HttpServer server;
  AddHealthPage(server, [&] { return health; });
  ASSERT_TRUE(server.Start("127.0.0.1:0").ok());
  EXPECT_THAT(Fetch(server.port(), "GET", "/healthz"),
              AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\nok\n")));
  health = absl::UnavailableError("database unreachable");
  EXPECT_THAT(Fetch(server.port(), "GET", "/healthz"),
              AllOf(StartsWith("HTTP/1.1 503 "), EndsWith("\r\n\r\ndatabase unreachable\n")));
}

}  // namespace
}  // namespace regressd::http
