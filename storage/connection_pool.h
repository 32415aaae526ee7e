#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/common/call_deadline.h"
#include "storage/pqxx_compat.h"
#include "storage/transaction.h"

namespace regressd::storage {

/// A bounded number of connections to one database, opened when first needed. A connection that
/// broke, here or at the server, is replaced when it is next borrowed, so a restart of PostgreSQL
/// costs the statements that were under way and no more. Keeps no session state: any connection
/// will do for any transaction. Thread-safe.
class ConnectionPool {
 public:
  struct Options {
    std::string conninfo;  ///< URL or key=value; WithDefaults is applied.
    std::size_t max_connections = 8;
    std::chrono::milliseconds borrow_timeout{5000};  ///< Longest wait for a free connection.
    std::chrono::milliseconds statement_timeout{
        30000};  ///< Of each statement in InTransaction(pool, ...).
  };

  /// A connection lent to one thread; goes back when it is destroyed, before the pool is.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->Return(std::move(connection_));
    }
    pqxx::connection& operator*() const { return *connection_; }
    pqxx::connection* operator->() const { return connection_.get(); }

   private:
    friend class ConnectionPool;
    Lease(ConnectionPool* pool, std::unique_ptr<pqxx::connection> connection)
        : pool_(pool), connection_(std::move(connection)) {}

    ConnectionPool* pool_;
    std::unique_ptr<pqxx::connection> connection_;
  };

  /// Opens nothing yet.
  explicit ConnectionPool(Options options);
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// Lends a connection that was alive a moment ago.
  /// Errors: Unavailable when none is free within the time, or the server cannot be reached;
  /// InvalidArgument when the connection string cannot be read.
  absl::StatusOr<Lease> Borrow() { return Borrow(options_.borrow_timeout); }
  absl::StatusOr<Lease> Borrow(std::chrono::milliseconds timeout);

  const Options& options() const { return options_; }

 private:
  void Return(std::unique_ptr<pqxx::connection> connection);
  void Release();

  const Options options_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<pqxx::connection>> idle_;  ///< Last used last. Guarded by mutex_.
  std::size_t lent_count_ = 0;                           ///< Guarded by mutex_.
};

/// Opens one connection by itself, for who keeps it. Errors: as Borrow.
absl::StatusOr<std::unique_ptr<pqxx::connection>> Connect(const std::string& conninfo);

/// InTransaction on a connection of the pool, each statement bounded by the pool's
/// statement_timeout, or by the deadline of the call that this thread works for when that is
/// sooner.
template <typename Transaction = pqxx::work, typename Work>
auto InTransaction(ConnectionPool& pool, Work&& work)
    -> decltype(work(std::declval<Transaction&>())) {
  const absl::StatusOr<ConnectionPool::Lease> lease =
      pool.Borrow(common::CallDeadline::TimeLeft(pool.options().borrow_timeout));
  if (!lease.ok()) return lease.status();
  return InTransaction<Transaction>(**lease, [&](Transaction& transaction) {
    // LOCAL: behind a pooler the next transaction may run on another server connection.
    const auto timeout = common::CallDeadline::TimeLeft(pool.options().statement_timeout);
    ExecScript(transaction, fmt::format("SET LOCAL statement_timeout = {}", timeout.count()));
    return work(transaction);
  });
}

}  // namespace regressd::storage
