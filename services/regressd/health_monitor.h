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

/// Knows whether regressd can do its job: the database answers, takes writes, and we are not
/// draining. Asks the database twice a second over a connection of its own, so that busy pools do
/// not look like an outage. That writes are refused it hears from those who write; that there is
/// room again it finds out by itself. Thread-safe.
class HealthMonitor {
 public:
  /// Asks once before it returns. `database` outlives it.
  explicit HealthMonitor(Database& database);
  ~HealthMonitor();
  HealthMonitor(const HealthMonitor&) = delete;
  HealthMonitor& operator=(const HealthMonitor&) = delete;

  /// OK, or Unavailable with the reason.
  absl::Status Status() const;

  /// Tells `listener` whether the database is there: now, and at every change until StartDraining.
  /// One call at a time.
  void Listen(std::function<void(bool up)> listener);

  /// The database answers and has no room for what it was given.
  void ReportWritesRefused(const absl::Status& why);

  /// Status says so from now on; the listener is not called any more once this returns.
  void StartDraining();

 private:
  /// Not serving until the database answered a question that was asked after this.
  void ReportDatabaseDown();
  absl::Status Probe();
  absl::Status ProbeRoom();
  void Run(std::stop_token stop);
  /// Takes the newest state and tells of a change. With mutex_ held, so that tellings come in
  /// order.
  void Set(absl::Status status);

  Database& database_;
  storage::ConnectionPool pool_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  absl::Status status_;  ///< Guarded by mutex_, as the rest.
  std::function<void(bool)> listener_;
  bool draining_ = false;
  std::uint64_t down_reports_ = 0;
  std::optional<std::chrono::steady_clock::time_point> refused_time_;  ///< The last, until over.
  std::jthread probing_;  ///< Last: it uses the others.
};

}  // namespace regressd
