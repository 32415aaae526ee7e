#include "storage/embedded_postgres.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <future>

#include "fmt/format.h"
#include "spdlog/spdlog.h"
#include "storage/cluster_draft.h"
#include "storage/connection_pool.h"
#include "storage/conninfo.h"

namespace regressd::storage {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kOwner[] = "regressd";
constexpr char kServer[] = "postgres";

// Sends the signals in turn to the processes that `list` finds, until it finds none.
bool StopAll(const std::function<std::vector<pid_t>()>& list) {
  struct Round {
    int signal;
    seconds patience;
  };
  // Fast shutdown writes a checkpoint, which may take long; after the others there is only
  // recovery.
  for (const Round& round :
       {Round{SIGINT, seconds(60)}, Round{SIGQUIT, seconds(5)}, Round{SIGKILL, seconds(5)}}) {
    const auto give_up = std::chrono::steady_clock::now() + round.patience;
    for (const pid_t pid : list()) kill(pid, round.signal);
    while (!list().empty()) {
      if (std::chrono::steady_clock::now() >= give_up) break;
      std::this_thread::sleep_for(milliseconds(20));
    }
    if (list().empty()) return true;
  }
  return list().empty();
}

void SyncFileSystemOf(const fs::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || syncfs(fd) != 0) sync();
  if (fd >= 0) close(fd);
}

}  // namespace

absl::StatusOr<std::unique_ptr<EmbeddedPostgres>> EmbeddedPostgres::Start(Options options) {
  std::optional<UserIds> user;
  if (geteuid() == 0) {
    absl::StatusOr<UserIds> ids = LookUpUser(options.run_as);
    if (!ids.ok()) {
      return absl::FailedPreconditionError(
          fmt::format("PostgreSQL does not run as root, and {}; install the package postgresql or "
                      "run regressd as another user",
                      std::string(ids.status().message())));
    }
    user = *std::move(ids);
  }
  absl::StatusOr<DataDirectory> directory = DataDirectory::Open(options.data_dir, user);
  if (!directory.ok()) return directory.status();
  const auto installed = FindPostgresBinaries(options.bin_dir, options.search_path);
  if (!installed.ok()) return installed.status();
  absl::StatusOr<PostgresBinaries> binaries = ChooseBinaries(*installed, directory->cluster());
  if (!binaries.ok()) return binaries.status();

  std::unique_ptr<EmbeddedPostgres> postgres(new EmbeddedPostgres(
      std::move(options), *std::move(directory), *std::move(binaries), std::move(user)));
  if (absl::Status status = postgres->InitializeCluster(); !status.ok()) return status;
  if (absl::Status status = postgres->CheckCluster(); !status.ok()) return status;

  // The server is spawned by the thread that outlives it: its parent-death signal follows the
  // thread.
  std::promise<absl::Status> first_outcome;
  postgres->supervisor_ = std::thread([&, self = postgres.get()] {
    self->Supervise([&](absl::Status status) { first_outcome.set_value(std::move(status)); });
  });
  if (absl::Status status = first_outcome.get_future().get(); !status.ok()) return status;
  if (absl::Status status = postgres->EnsureDatabase(); !status.ok()) return status;
  return postgres;
}

EmbeddedPostgres::EmbeddedPostgres(Options options, DataDirectory directory,
                                   PostgresBinaries binaries, std::optional<UserIds> user)
    : options_(std::move(options)),
      directory_(std::move(directory)),
      binaries_(std::move(binaries)),
      user_(std::move(user)) {}

EmbeddedPostgres::~EmbeddedPostgres() { Stop(); }

absl::Status EmbeddedPostgres::InitializeCluster() {
  RemoveDrafts(directory_.path());
  if (fs::exists(directory_.cluster() / "PG_VERSION")) return absl::OkStatus();
  const absl::StatusOr<fs::path> made = MakeDraft(directory_.path(), user_);
  if (!made.ok()) return made.status();
  const fs::path& draft = *made;

  spdlog::info("making a PostgreSQL {} cluster in {}", binaries_.major_version,
               directory_.cluster().string());
  const ChildCommand initdb{
      .arguments = {(binaries_.directory / "initdb").string(),
                    fmt::format("--pgdata={}", draft.string()),
                    fmt::format("--username={}", kOwner), "--encoding=UTF8", "--locale=C",
                    "--auth=trust", "--data-checksums",
                    "--no-sync"},  // One syncfs below instead of a thousand fsyncs.
      .user = user_,
      .working_directory = draft,
      .output = directory_.log(),
      .signal_when_parent_dies = SIGKILL};
  const std::uintmax_t log_offset = LogSize();
  const absl::StatusOr<pid_t> child = Spawn(initdb);
  if (!child.ok()) return child.status();
  if (const std::string end = Reap(*child); end != "exit status 0") {
    return absl::InternalError(
        fmt::format("initdb failed ({}): {}", end, Tail(directory_.log(), log_offset)));
  }
  if (options_.durable) SyncFileSystemOf(draft);
  std::error_code error;
  fs::rename(draft, directory_.cluster(), error);
  if (error) {
    return absl::InternalError(fmt::format("cannot move the new cluster to {}: {}",
                                           directory_.cluster().string(), error.message()));
  }
  return absl::OkStatus();
}

absl::Status EmbeddedPostgres::CheckCluster() const {
  return MakePrivateDirectory(directory_.cluster(), user_);
}

absl::Status EmbeddedPostgres::ClearRemains() {
  const fs::path cluster = directory_.cluster();
  const auto list = [&] { return ProcessesIn(cluster, kServer); };
  if (const auto left = list(); !left.empty()) {
    spdlog::warn("stopping {} PostgreSQL process(es) left of an earlier run in {}", left.size(),
                 cluster.string());
    if (!StopAll(list)) {
      return absl::FailedPreconditionError(
          fmt::format("PostgreSQL process {} in {} does not end; end it by hand", list().front(),
                      cluster.string()));
    }
  }
  // PostgreSQL refuses to start when the pid in one of these lives, even as somebody else's since a
  // reboot, or as a killed server's that nobody has waited for. We hold the directory's lock and no
  // server is left in it, so the files are stale whatever they say.
  std::error_code error;
  fs::remove(cluster / "postmaster.pid", error);
  fs::remove(directory_.socket() / ".s.PGSQL.5432.lock", error);
  return absl::OkStatus();
}

absl::StatusOr<pid_t> EmbeddedPostgres::SpawnServer() {
  constexpr std::uintmax_t kMaxLogBytes = 16 << 20;
  std::error_code error;
  if (LogSize() > kMaxLogBytes) {
    fs::rename(directory_.log(), directory_.log().string() + ".1", error);
  }
  std::vector<std::string> settings = {
      "listen_addresses=", fmt::format("unix_socket_directories={}", directory_.socket().string()),
      "unix_socket_permissions=0700", "port=5432", "logging_collector=off",
      "log_destination=stderr", "timezone=UTC", "log_timezone=UTC", "cluster_name=regressd",
      "jit=off",
      // After a crash one call instead of an fsync of every file: a second instead of many.
      "recovery_init_sync_method=syncfs"};
  settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
  ChildCommand server{
      .arguments = {(binaries_.directory / kServer).string(), "-D", directory_.cluster().string()},
      .user = user_,
      .working_directory = directory_.cluster(),
      .output = directory_.log(),
      .signal_when_parent_dies = SIGINT};
  for (std::string& setting : settings) {
    server.arguments.emplace_back("-c");
    server.arguments.push_back(std::move(setting));
  }
  // Under the lock: Stop either sees the server or prevents it.
  const std::lock_guard lock(mutex_);
  if (stopping_) return absl::CancelledError("stopping");
  absl::StatusOr<pid_t> child = Spawn(server);
  if (child.ok()) server_ = *child;
  return child;
}

absl::Status EmbeddedPostgres::AwaitConnections(pid_t server, std::uintmax_t log_offset) {
  // Recovery after a crash takes what it takes: as long as the server lives, it is on its way.
  constexpr auto kReportEvery = seconds(10);
  auto next_report = std::chrono::steady_clock::now() + kReportEvery;
  while (PQping(Conninfo("postgres").c_str()) != PQPING_OK) {
    if (HasEnded(server)) {
      return absl::InternalError(
          fmt::format("PostgreSQL did not start: {}", Tail(directory_.log(), log_offset)));
    }
    if (std::chrono::steady_clock::now() >= next_report) {
      spdlog::info("PostgreSQL is still starting, see {}", directory_.log().string());
      next_report += kReportEvery;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  return absl::OkStatus();
}

absl::Status EmbeddedPostgres::EnsureDatabase() {
  const auto connection = Connect(Conninfo("postgres"));
  if (!connection.ok()) return connection.status();
  try {
    pqxx::nontransaction session(**connection);  // CREATE DATABASE has no place in a transaction.
    if (Exec(session, "SELECT 1 FROM pg_database WHERE datname = $1", kOwner).empty()) {
      ExecScript(session, fmt::format("CREATE DATABASE {}", kOwner));
    }
    return absl::OkStatus();
  } catch (...) {
    return StatusFromException((*connection)->is_open());
  }
}

absl::Status EmbeddedPostgres::ServeOnce(const std::function<void()>& ready) {
  if (absl::Status status = ClearRemains(); !status.ok()) return status;
  const std::uintmax_t log_offset = LogSize();
  const absl::StatusOr<pid_t> server = SpawnServer();
  if (!server.ok()) return server.status();
  absl::Status status = AwaitConnections(*server, log_offset);
  if (status.ok()) {
    ready();
    AwaitEnd(*server);
  }
  const std::lock_guard lock(mutex_);
  const std::string end = Reap(*server);
  server_ = 0;
  if (status.ok()) status = absl::UnavailableError(fmt::format("PostgreSQL ended ({})", end));
  return status;
}

void EmbeddedPostgres::Supervise(const std::function<void(absl::Status)>& first_outcome) {
  constexpr auto kLongestDelay = seconds(30);
  bool first = true;
  milliseconds delay{0};
  while (true) {
    bool served = false;
    const absl::Status status = ServeOnce([&] {
      served = true;
      if (std::exchange(first, false)) {
        first_outcome(absl::OkStatus());
      } else {
        spdlog::info("PostgreSQL is back");
        Announce(true);
      }
    });
    std::unique_lock lock(mutex_);
    if (first || stopping_) {
      finished_ = true;
      changed_.notify_all();
      lock.unlock();
      if (first) first_outcome(status);
      return;
    }
    // At once the first time, then ever slower while it does not come up.
    delay = served ? milliseconds(0)
                   : std::min<milliseconds>(kLongestDelay, delay * 2 + milliseconds(500));
    lock.unlock();
    Announce(false);
    spdlog::error("{}; starting it again in {} ms", std::string(status.message()), delay.count());
    lock.lock();
    changed_.wait_for(lock, delay, [&] { return stopping_; });
  }
}

void EmbeddedPostgres::Stop() {
  if (!supervisor_.joinable()) return;
  struct Round {
    int signal;
    seconds patience;
  };
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  for (const Round& round :
       {Round{SIGINT, seconds(30)}, Round{SIGQUIT, seconds(10)}, Round{SIGKILL, seconds(10)}}) {
    if (server_ != 0) kill(server_, round.signal);
    if (changed_.wait_for(lock, round.patience, [&] { return finished_; })) break;
    spdlog::warn("PostgreSQL does not stop, trying harder");
  }
  lock.unlock();
  supervisor_.join();
}

std::string EmbeddedPostgres::Conninfo(const std::string& database) const {
  return FormatConninfo({{"host", directory_.socket().string()},
                         {"port", "5432"},
                         {"user", kOwner},
                         {"dbname", database}});
}

pid_t EmbeddedPostgres::postmaster_pid() const {
  const std::lock_guard lock(mutex_);
  return server_;
}

void EmbeddedPostgres::Listen(std::function<void(bool serving)> listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

void EmbeddedPostgres::Announce(bool serving) {
  const std::lock_guard lock(listener_mutex_);
  if (listener_) listener_(serving);
}

std::uintmax_t EmbeddedPostgres::LogSize() const {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(directory_.log(), error);
  return error ? 0 : size;
}

}  // namespace regressd::storage
