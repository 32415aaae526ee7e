#include "services/regressd/database.h"

#include <chrono>
#include <utility>

#include "fmt/format.h"
#include "spdlog/spdlog.h"
#include "storage/connection_pool.h"
#include "storage/conninfo.h"
#include "storage/migrator.h"

namespace regressd {
namespace {

// A server that is started together with ours, by compose for example, is given time to come up.
absl::StatusOr<std::unique_ptr<pqxx::connection>> ConnectPatiently(const std::string& conninfo,
                                                                   TerminationSignal& termination) {
  constexpr auto kPatience = std::chrono::minutes(1);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    auto connection = storage::Connect(conninfo);
    if (connection.ok() || connection.status().code() != absl::StatusCode::kUnavailable)
      return connection;
    if (std::chrono::steady_clock::now() >= give_up) {
      return absl::UnavailableError(fmt::format("{}; check database.url and that the server runs",
                                                std::string(connection.status().message())));
    }
    spdlog::warn("waiting for {}: {}", storage::DescribeConninfo(conninfo),
                 std::string(connection.status().message()));
    if (termination.WaitFor(std::chrono::seconds(1)))
      return absl::CancelledError("ended by a signal");
  }
}

}  // namespace

absl::StatusOr<Database> Database::Open(const Config& config, TerminationSignal& termination) {
  std::string conninfo = config.database_url;
  std::unique_ptr<storage::EmbeddedPostgres> embedded;
  if (conninfo.empty()) {
    auto started = storage::EmbeddedPostgres::Start({.data_dir = config.data_dir,
                                                     .bin_dir = config.postgres_bin_dir,
                                                     .search_path = config.search_path,
                                                     .run_as = config.postgres_user,
                                                     .settings = {}});
    if (!started.ok()) return started.status();
    embedded = *std::move(started);
    conninfo = embedded->conninfo();
  }
  const auto connection = ConnectPatiently(conninfo, termination);
  if (!connection.ok()) return connection.status();
  constexpr int kOldestServer = storage::kOldestPostgres * 10000;
  if (const int version = (*connection)->server_version(); version < kOldestServer) {
    return absl::FailedPreconditionError(fmt::format("{} is PostgreSQL {}; {} or newer is needed",
                                                     storage::DescribeConninfo(conninfo),
                                                     version / 10000, storage::kOldestPostgres));
  }
  const auto schema = storage::Migrate(**connection, storage::EmbeddedMigrations());
  if (!schema.ok()) return schema.status();
  spdlog::info("database {}, schema version {} ({} migrations applied)",
               storage::DescribeConninfo(conninfo), schema->version, schema->applied_count);
  return Database(std::move(conninfo), std::move(embedded));
}

void Database::Listen(std::function<void(bool serving)> listener) {
  if (embedded_ != nullptr) embedded_->Listen(std::move(listener));
}

}  // namespace regressd
