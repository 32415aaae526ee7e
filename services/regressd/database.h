#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "services/regressd/config.h"
#include "services/regressd/termination_signal.h"
#include "storage/embedded_postgres.h"

namespace regressd {

/// The database that regressd works on, its own or a given one, with the schema up to date. One
/// thread.
class Database {
 public:
  /// Starts the private PostgreSQL, or waits a minute at most for the given one, and applies
  /// migrations. `on_change` hears when the private one goes and comes. Errors: those of
  /// EmbeddedPostgres::Start and Migrate; Unavailable when the given one cannot be reached;
  /// Cancelled when a signal ended the wait.
  static absl::StatusOr<Database> Open(const Config& config, TerminationSignal& termination);

  const std::string& conninfo() const { return conninfo_; }

  /// As EmbeddedPostgres::Listen; of a given database there is nothing to hear.
  void Listen(std::function<void(bool serving)> listener);

 private:
  Database(std::string conninfo, std::unique_ptr<storage::EmbeddedPostgres> embedded)
      : conninfo_(std::move(conninfo)), embedded_(std::move(embedded)) {}

  std::string conninfo_;
  std::unique_ptr<storage::EmbeddedPostgres> embedded_;  ///< Null with a given one.
};

}  // namespace regressd
