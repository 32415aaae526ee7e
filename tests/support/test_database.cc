#include "tests/support/test_database.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "fmt/format.h"
#include "storage/connection_pool.h"
#include "storage/migrator.h"
#include "tests/support/temporary_directory.h"

namespace regressd::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kTemplate[] = "migrated_template";

[[noreturn]] void Die(const std::string& what, const absl::Status& status) {
  fmt::print(stderr, "test database: {}: {}\n", what, status.ToString());
  std::abort();
}

storage::EmbeddedPostgres::Options FastOptions(const fs::path& directory) {
  return {.data_dir = directory,
          .bin_dir = {},
          .search_path = {},
          .settings = {"fsync=off", "synchronous_commit=off", "full_page_writes=off",
                       "shared_buffers=16MB", "autovacuum=off", "log_min_messages=fatal"},
          .durable = false};
}

void RunSql(const std::string& conninfo, const std::string& sql) {
  const auto connection = storage::Connect(conninfo);
  if (!connection.ok()) Die("connect", connection.status());
  try {
    pqxx::nontransaction session(**connection);
    storage::ExecScript(session, sql);
  } catch (...) {
    Die(sql, storage::StatusFromException((*connection)->is_open()));
  }
}

std::unique_ptr<storage::EmbeddedPostgres> StartIn(const fs::path& directory) {
  auto postgres = storage::EmbeddedPostgres::Start(FastOptions(directory));
  if (!postgres.ok()) Die("start", postgres.status());
  return *std::move(postgres);
}

// A stopped cluster with the migrated template in it, kept in the build tree: each test program
// starts from a copy, which costs a tenth of initdb and the migrations.
std::string MigrationsKey() {
  std::string all;
  for (const storage::Migration& migration : storage::EmbeddedMigrations()) all += migration.sql;
  return fmt::format("{:016x}", std::hash<std::string>{}(all));
}

void MakeTemplate(const fs::path& directory) {
  const auto postgres = StartIn(directory);
  RunSql(postgres->Conninfo("postgres"), fmt::format("CREATE DATABASE {}", kTemplate));
  const auto connection = storage::Connect(postgres->Conninfo(kTemplate));
  if (!connection.ok()) Die("connect", connection.status());
  const auto outcome = storage::Migrate(**connection, storage::EmbeddedMigrations());
  if (!outcome.ok()) Die("migrate", outcome.status());
}

void CopyCluster(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive);
  struct stat owner {};
  if (stat(from.c_str(), &owner) != 0) Die("stat", absl::InternalError(from.string()));
  const auto give = [&](const fs::path& path) {
    if (geteuid() == 0 && lchown(path.c_str(), owner.st_uid, owner.st_gid) != 0) {
      Die("chown", absl::InternalError(path.string()));
    }
  };
  give(to);
  for (const auto& entry : fs::recursive_directory_iterator(to)) give(entry.path());
}

fs::path TemplateCluster() {
  const fs::path cache = REGRESSD_TEST_CACHE_DIR;
  fs::create_directories(cache);
  const int lock = open((cache / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) Die("lock", absl::InternalError(cache.string()));
  const absl::Cleanup unlock = [&] { close(lock); };

  const fs::path cluster = cache / fmt::format("cluster-{}-{}", geteuid(), MigrationsKey());
  if (fs::exists(cluster)) return cluster;
  const TemporaryDirectory workshop;
  MakeTemplate(workshop.path());
  const fs::path draft = cluster.string() + ".new";
  fs::remove_all(draft);
  CopyCluster(workshop.path() / "postgres", draft);
  fs::rename(draft, cluster);
  return cluster;
}

struct Cluster {
  TemporaryDirectory directory;  // Goes after the server.
  std::unique_ptr<storage::EmbeddedPostgres> postgres;

  Cluster() {
    CopyCluster(TemplateCluster(), directory.path() / "postgres");
    postgres = StartIn(directory.path());
  }
};

}  // namespace

storage::EmbeddedPostgres& TestCluster() {
  static const Cluster cluster;
  return *cluster.postgres;
}

TestDatabase::TestDatabase(Schema schema) {
  static std::atomic<int> count{0};
  name_ = fmt::format("test_{}", ++count);
  conninfo_ = TestCluster().Conninfo(name_);
  RunSql(TestCluster().Conninfo("postgres"),
         fmt::format("CREATE DATABASE {} TEMPLATE {}", name_,
                     schema == Schema::kMigrated ? kTemplate : "template0"));
}

TestDatabase::~TestDatabase() {
  RunSql(TestCluster().Conninfo("postgres"), fmt::format("DROP DATABASE {} WITH (FORCE)", name_));
}

}  // namespace regressd::testing
