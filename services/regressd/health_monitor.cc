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

void HealthMonitor::Run(std::stop_token stop) {
  constexpr std::chrono::milliseconds kPeriod{500};
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const std::uint64_t reports_before = down_reports_;
    lock.unlock();
    absl::Status status = Probe();
    lock.lock();
    // An answer from before the report says nothing about after it.
    if (down_reports_ == reports_before) Set(std::move(status));
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
