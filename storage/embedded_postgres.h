#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/data_directory.h"
#include "storage/postgres_binaries.h"

namespace regressd::storage {

/// A private PostgreSQL cluster: made on first use, reachable through a Unix socket in a directory
/// of mode 0700 alone, running as long as this object lives. A server that dies is started again.
/// Thread-safe.
///
/// When our own process is killed the kernel sends the server a fast shutdown (parent-death
/// signal). Whatever is left of it is stopped by the next Start before that starts a server of its
/// own: it is never adopted, so that each server is the child of who watches it. A postmaster.pid
/// that names a stranger's process is removed then.
class EmbeddedPostgres {
 public:
  struct Options {
    std::filesystem::path data_dir;
    std::filesystem::path bin_dir{};      ///< Of postgres and initdb; empty: search.
    std::string search_path{};            ///< Colon-separated directories to search too, like PATH.
    std::string run_as = "postgres";      ///< Whom the server runs as when we are root.
    std::vector<std::string> settings{};  ///< More "name=value" of postgresql.conf.
    bool durable = true;                  ///< False: initdb without flushing, for tests.
  };

  /// Makes the cluster if there is none, starts its server and waits until it takes connections,
  /// through crash recovery if need be. Errors: FailedPrecondition when another regressd has the
  /// directory, the cluster is of another major version, or its permissions are wrong; NotFound
  /// when no PostgreSQL is installed; Internal with the server's own words otherwise.
  static absl::StatusOr<std::unique_ptr<EmbeddedPostgres>> Start(Options options);

  ~EmbeddedPostgres();
  EmbeddedPostgres(const EmbeddedPostgres&) = delete;
  EmbeddedPostgres& operator=(const EmbeddedPostgres&) = delete;

  /// Shuts the server down: open transactions are rolled back, everything is on disk. Idempotent.
  void Stop();

  /// How to reach the database `regressd` as its owner.
  std::string conninfo() const { return Conninfo("regressd"); }
  std::string Conninfo(const std::string& database) const;

  /// From now on tells `listener` when the server goes (false) and is back (true); an empty one
  /// ends it, and is not called any more once this returns. Calls come from a thread of ours.
  void Listen(std::function<void(bool serving)> listener);

  /// The server's process, 0 while there is none.
  pid_t postmaster_pid() const;

 private:
  EmbeddedPostgres(Options options, DataDirectory directory, PostgresBinaries binaries,
                   std::optional<UserIds> user);

  absl::Status InitializeCluster();
  absl::Status CheckCluster() const;
  absl::Status ClearRemains();
  absl::StatusOr<pid_t> SpawnServer();
  absl::Status AwaitConnections(pid_t server, std::uintmax_t log_offset);
  absl::Status EnsureDatabase();
  absl::Status ServeOnce(const std::function<void()>& ready);
  void Supervise(const std::function<void(absl::Status)>& first_outcome);
  void Announce(bool serving);
  std::uintmax_t LogSize() const;

  const Options options_;
  const DataDirectory directory_;
  const PostgresBinaries binaries_;
  const std::optional<UserIds> user_;

  std::mutex listener_mutex_;
  std::function<void(bool)> listener_;  ///< Guarded by listener_mutex_, also while it runs.

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  pid_t server_ = 0;  ///< Guarded by mutex_; reaped under it, so a signal never meets a stranger.
  bool stopping_ = false;  ///< Guarded by mutex_.
  bool finished_ = false;  ///< The supervisor is done. Guarded by mutex_.
  std::thread supervisor_;
};

}  // namespace regressd::storage
