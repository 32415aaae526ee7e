#include "storage/connection_pool.h"

#include <poll.h>

#include <cassert>

#include "storage/conninfo.h"

namespace regressd::storage {
namespace {

// An idle connection has nothing to read unless the server said good-bye; then it is of no more
// use.
bool Alive(pqxx::connection& connection) {
  if (!connection.is_open()) return false;
  pollfd state{.fd = connection.sock(), .events = POLLIN, .revents = 0};
  return poll(&state, 1, 0) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<pqxx::connection>> Connect(const std::string& conninfo) {
  const absl::StatusOr<std::string> full = WithDefaults(conninfo);
  if (!full.ok()) return full.status();
  try {
    auto connection = std::make_unique<pqxx::connection>(*full);
    ForbidReactivation(*connection);
    return connection;
  } catch (...) {
    return StatusFromException(/*connection_open=*/false);
  }
}

ConnectionPool::ConnectionPool(Options options) : options_(std::move(options)) {}

ConnectionPool::~ConnectionPool() { assert(lent_count_ == 0); }

absl::StatusOr<ConnectionPool::Lease> ConnectionPool::Borrow(std::chrono::milliseconds timeout) {
  std::unique_ptr<pqxx::connection> connection;
  std::vector<std::unique_ptr<pqxx::connection>>
      dead;  // Closed outside the lock: closing may block.
  {
    std::unique_lock lock(mutex_);
    if (!returned_.wait_for(lock, timeout,
                            [&] { return lent_count_ < options_.max_connections; })) {
      return absl::UnavailableError(
          fmt::format("all {} database connections are busy for {} ms; try again later",
                      options_.max_connections, timeout.count()));
    }
    ++lent_count_;
    while (!idle_.empty() && connection == nullptr) {
      (Alive(*idle_.back()) ? connection : dead.emplace_back()) = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  dead.clear();
  if (connection == nullptr) {
    absl::StatusOr<std::unique_ptr<pqxx::connection>> fresh = Connect(options_.conninfo);
    if (!fresh.ok()) {
      Release();
      return fresh.status();
    }
    connection = *std::move(fresh);
  }
  return Lease(this, std::move(connection));
}

void ConnectionPool::Return(std::unique_ptr<pqxx::connection> connection) {
  if (connection->is_open()) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }
  connection.reset();
  Release();
}

void ConnectionPool::Release() {
  {
    const std::lock_guard lock(mutex_);
    --lent_count_;
  }
  returned_.notify_one();
}

}  // namespace regressd::storage
