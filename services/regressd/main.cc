#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "services/analysis/judge.h"
#include "services/auth/authorizer.h"
#include "services/dashboard/pages.h"
#include "services/detect/detector.h"
#include "services/http/server.h"
#include "services/http/status_pages.h"
#include "services/ingest/ingest_metrics.h"
#include "services/ingest/ingest_service.h"
#include "services/query/comparer.h"
#include "services/query/regression_feed.h"
#include "services/query/services.h"
#include "services/regressd/config.h"
#include "services/regressd/database.h"
#include "services/regressd/health_monitor.h"
#include "services/regressd/logging.h"
#include "services/regressd/ports_file.h"
#include "services/regressd/server.h"
#include "services/regressd/termination_signal.h"
#include "spdlog/spdlog.h"
#include "storage/committer_pool.h"
#include "storage/connection_pool.h"
#include "storage/partitions.h"
#include "storage/pg_commit_store.h"
#include "storage/pg_ingest_store.h"
#include "storage/pg_regression_store.h"
#include "storage/pg_run_store.h"

namespace regressd {
namespace {

// Beyond draining: closing connections, the database's last checkpoint.
constexpr std::chrono::seconds kStopTime{30};
// What is queued is written even when draining used up its time.
constexpr std::chrono::milliseconds kFlushTime{5000};

std::chrono::milliseconds TimeUntil(std::chrono::system_clock::time_point deadline,
                                    std::chrono::milliseconds at_least) {
  const auto left = deadline - std::chrono::system_clock::now();
  return std::max(at_least, std::chrono::duration_cast<std::chrono::milliseconds>(left));
}

void WarnOfOpenDoors(const Config& config) {
  for (const std::string& listen : {config.grpc_listen, config.http_listen}) {
    if (!IsReachableFromOutside(listen)) continue;
    spdlog::warn(
        "{} can be reached from other machines, and nobody is asked who he is: everybody who "
        "reaches it may read "
        "and write everything; keep it behind a firewall, or listen on 127.0.0.1",
        listen);
  }
}

std::string BaseUrl(const Config& config, int http_port) {
  if (!config.report_base_url.empty()) return config.report_base_url;
  std::string host = config.http_listen.substr(0, config.http_listen.rfind(':'));
  if (host == "0.0.0.0" || host == "[::]") {
    char name[256] = "localhost";
    gethostname(name, sizeof name - 1);
    host = name;
  }
  return fmt::format("http://{}:{}", host, http_port);
}

void ExportBuildInfo(prometheus::Registry& registry) {
  prometheus::BuildGauge()
      .Name("regressd_build_info")
      .Help("Always 1; the label says which version runs.")
      .Register(registry)
      .Add({{"version", REGRESSD_VERSION}})
      .Set(1);
}

absl::Status Announce(const Config& config, const Ports& ports) {
  spdlog::info("serving gRPC on port {} ({}) and HTTP on port {} ({})", ports.grpc,
               config.grpc_listen, ports.http, config.http_listen);
  return config.ports_file ? WritePortsFile(*config.ports_file, ports) : absl::OkStatus();
}

/// What the committers do, counted and, where it matters, heard by the health.
class WatchedIngest : public ingest::IngestMetrics {
 public:
  WatchedIngest(prometheus::Registry& registry, HealthMonitor& health)
      : IngestMetrics(registry), health_(health) {}

  void OnWritesRefused(const absl::Status& why) override { health_.ReportWritesRefused(why); }

 private:
  HealthMonitor& health_;
};

absl::Status Serve(const Config& config) {
  TerminationSignal termination;  // Blocks SIGINT and SIGTERM before any thread exists.
  std::optional<ShutdownLimit> shutdown_limit;
  absl::StatusOr<Database> database = Database::Open(config, termination);
  if (!database.ok()) return database.status();

  storage::ConnectionPool pool(
      {.conninfo = database->conninfo(), .max_connections = config.database_connections});
  storage::PgRunStore runs(pool);
  storage::PgCommitStore commits(pool);
  storage::PgRegressionStore regressions(pool);
  HealthMonitor health(*database);

  prometheus::Registry registry;
  ExportBuildInfo(registry);
  WatchedIngest metrics(registry, health);
  storage::PgIngestStoreFactory ingest_stores({.conninfo = database->conninfo()});
  storage::CommitterPool committers(ingest_stores, metrics,
                                    {.committer_count = config.ingest_committers,
                                     .limits = {.max_bytes = config.ingest_queue_size_bytes},
                                     .backoff = {}});

  const auth::LocalAuthorizer authorizer;
  // One for the worker, pages and reports: they cannot disagree.
  const analysis::JudgeOptions judging;
  query::Comparer comparer(runs, commits, judging);
  query::RegressionFeed feed(regressions);
  dashboard::Pages pages(comparer, runs, commits, regressions, authorizer);

  http::HttpServer http;
  pages.AddTo(http);
  http::AddMetricsPage(http, registry);
  http::AddHealthPage(http, [&] { return health.Status(); });
  if (absl::Status status = http.Start(config.http_listen); !status.ok()) return status;

  ingest::IngestServiceImpl ingest(committers, authorizer, metrics);
  const query::QueryServices queries({.runs = runs,
                                      .commits = commits,
                                      .regressions = regressions,
                                      .comparer = comparer,
                                      .feed = feed,
                                      .authorizer = authorizer,
                                      .mail = {.bot_name = config.report_bot_name,
                                               .bot_address = config.report_bot_address,
                                               .base_url = BaseUrl(config, http.port())}});
  std::vector<grpc::Service*> services = queries.list();
  services.push_back(&ingest);
  const auto server = GrpcServer::Start(
      {.listen = config.grpc_listen, .reflection = config.grpc_reflection}, services);
  if (!server.ok()) return server.status();
  WarnOfOpenDoors(config);

  detect::Detector detector(runs, regressions, judging);
  storage::PartitionMaker partitions({.conninfo = database->conninfo()});
  const std::jthread detecting(
      [&](std::stop_token stop) { detector.Run(stop, config.detect_poll_interval); });
  const std::jthread partitioning([&](std::stop_token stop) { partitions.Run(stop); });

  health.Listen([&](bool up) {
    (*server)->SetServing(up);
    metrics.OnDatabaseUp(up);
  });
  const absl::Status announced = Announce(config, {.grpc = (*server)->port(), .http = http.port()});
  if (announced.ok()) termination.Wait();

  spdlog::info("stopping: calls and streams have {} s to end", config.drain_timeout.count());
  shutdown_limit.emplace(config.drain_timeout + kStopTime);
  const auto deadline = std::chrono::system_clock::now() + config.drain_timeout;
  health.StartDraining();
  (*server)->SetServing(false);
  feed.Stop();
  if (!ingest.Drain(config.drain_timeout)) {
    spdlog::warn("some streams did not end in time; their agents resume");
  }
  (*server)->Shutdown(deadline);
  committers.Drain(TimeUntil(deadline, kFlushTime));
  http.Stop();
  return announced;  // Now the threads stop, the pools close and the private PostgreSQL shuts down.
}

std::map<std::string, std::string> Environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return environment;
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<Invocation> invocation =
      ReadInvocation(arguments, Environment(), geteuid() == 0);
  if (!invocation.ok()) {
    fmt::print(stderr, "regressd: {}\n", std::string(invocation.status().message()));
    return 2;
  }
  if (invocation->action == Invocation::Action::kPrint) {
    fmt::print("{}", invocation->output);
    return 0;
  }
  SetUpLogging(invocation->config.log_level, invocation->config.log_format);
  const absl::Status status = Serve(invocation->config);
  if (status.ok() || absl::IsCancelled(status)) {
    spdlog::info("stopped");
    return 0;
  }
  spdlog::critical("{}", std::string(status.message()));
  return 1;
}

}  // namespace
}  // namespace regressd

int main(int argc, char** argv) { return regressd::Main({argv + 1, argv + argc}); }
