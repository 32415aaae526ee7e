#include "services/regressd/health_monitor.h"

#include <utility>

#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace regressd {

HealthMonitor::HealthMonitor(Database& database, std::function<void(bool serving)> on_change)
    : database_(database),
      pool_({.conninfo = database.conninfo(),
             .max_connections = 1,
             .statement_timeout = std::chrono::seconds(3)}),
      on_change_(std::move(on_change)),
      status_(absl::UnavailableError("starting")) {
  // The first state is known when the constructor returns: nobody hears "starting" from a server
  // that is ready.
  absl::Status first = Probe();
  {
    const std::lock_guard lock(mutex_);
    Set(std::move(first));
  }
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

void HealthMonitor::StartDraining() {
  const std::lock_guard lock(mutex_);
  Set(absl::UnavailableError("draining"));
  draining_ = true;
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
  status_ = std::move(status);
  if (told_ == status_.ok()) return;
  if (!status_.ok()) {
    spdlog::warn("not serving: {}", std::string(status_.message()));
  } else if (told_) {
    spdlog::info("serving again");
  }
  told_ = status_.ok();
  on_change_(status_.ok());
}

}  // namespace regressd
