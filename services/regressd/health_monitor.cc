#include "services/regressd/health_monitor.h"

#include <utility>

#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace regressd {

HealthMonitor::HealthMonitor(Database& database)
    : database_(database),
      pool_({.conninfo = database.conninfo(),
             .max_connections = 1,
             .statement_timeout = std::chrono::seconds(3)}),
      status_(Probe()) {
  database_.Listen([this](bool serving) {
    if (!serving) ReportDatabaseDown();
  });
  probing_ = std::jthread([this](std::stop_token stop) { Run(std::move(stop)); });
}

HealthMonitor::~HealthMonitor() { database_.Listen({}); }

absl::Status HealthMonitor::Status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void HealthMonitor::ReportDatabaseDown() {
  const std::lock_guard lock(mutex_);
  ++down_reports_;
  Set(absl::UnavailableError("PostgreSQL ended and is being started again"));
}

void HealthMonitor::ReportWritesRefused(const absl::Status& why) {
  const std::lock_guard lock(mutex_);
  ++down_reports_;
  refused_time_ = std::chrono::steady_clock::now();
  Set(absl::UnavailableError(
      fmt::format("the database takes no writes: {}", std::string(why.message()))));
}

void HealthMonitor::Listen(std::function<void(bool up)> listener) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
  listener_(status_.ok());
}

void HealthMonitor::StartDraining() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
  status_ = absl::UnavailableError("draining");
}

absl::Status HealthMonitor::Probe() {
  return storage::InTransaction(pool_, [](pqxx::work& transaction) {
    storage::ExecScript(transaction, "SELECT 1");
    return absl::OkStatus();
  });
}

// As much as a busy second of agents. A temporary table leaves no dead rows in ours.
absl::Status HealthMonitor::ProbeRoom() {
  return storage::InTransaction(pool_, [](pqxx::work& transaction) {
    storage::ExecScript(transaction,
                        "CREATE TEMPORARY TABLE regressd_room ON COMMIT DROP AS "
                        "SELECT i FROM generate_series(1, 50000) AS i");
    return absl::OkStatus();
  });
}

void HealthMonitor::Run(std::stop_token stop) {
  constexpr std::chrono::milliseconds kPeriod{500};
  // What is refused may be more than the probe asks for: writers must have been content for long.
  constexpr std::chrono::seconds kQuiet{3};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const std::uint64_t reports_before = down_reports_;
    const bool is_refused = refused_time_.has_value();
    lock.unlock();
    absl::Status status = is_refused ? ProbeRoom() : Probe();
    lock.lock();
    // An answer from before a report says nothing about after it.
    if (down_reports_ == reports_before) {
      const bool holds = is_refused && std::chrono::steady_clock::now() - *refused_time_ < kQuiet;
      if (!status.ok() || !holds) Set(status);
      if (status.ok() && !holds) refused_time_.reset();
    }
    wake_.wait_for(lock, stop, kPeriod, [] { return false; });
  }
}

void HealthMonitor::Set(absl::Status status) {
  if (draining_) return;
  const bool changed = status_.ok() != status.ok();
  status_ = std::move(status);
  if (!changed) return;
  if (status_.ok()) {
    spdlog::info("serving again");
  } else {
    spdlog::warn("not serving: {}", std::string(status_.message()));
  }
  if (listener_) listener_(status_.ok());
}

}  // namespace regressd
