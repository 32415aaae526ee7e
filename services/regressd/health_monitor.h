#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "services/regressd/database.h"
#include "storage/connection_pool.h"

namespace regressd {

/// Knows whether regressd can do its job: the database answers and we are not draining. Asks the
/// database twice a second over a connection of its own, so that busy pools do not look like an
/// outage. Thread-safe.
class HealthMonitor {
 public:
  /// `on_change` hears every change and the state at the start, one call at a time. `database`
  /// outlives this.
  HealthMonitor(Database& database, std::function<void(bool serving)> on_change);
  ~HealthMonitor();
  HealthMonitor(const HealthMonitor&) = delete;
  HealthMonitor& operator=(const HealthMonitor&) = delete;

  /// OK, or Unavailable with the reason.
  absl::Status Status() const;

  /// Not serving from now on.
  void StartDraining();

 private:
  /// Not serving until the database answered a question that was asked after this.
  void ReportDatabaseDown();
  absl::Status Probe();
  void Run(std::stop_token stop);
  /// Takes the newest state and tells of a change. With mutex_ held, so that tellings come in
  /// order.
  void Set(absl::Status status);

  Database& database_;
  storage::ConnectionPool pool_;
  const std::function<void(bool)> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  absl::Status status_;       ///< Guarded by mutex_, as the rest.
  std::optional<bool> told_;  ///< What on_change_ heard last.
  bool draining_ = false;
  std::uint64_t down_reports_ = 0;
  std::jthread probing_;  ///< Last: it uses the others.
};

}  // namespace regressd
