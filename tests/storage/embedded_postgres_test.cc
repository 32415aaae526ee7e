#include "storage/embedded_postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>

#include "storage/child_process.h"
#include "storage/connection_pool.h"
#include "tests/support/temporary_directory.h"

namespace regressd::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

// Durable but for initdb: what is killed here must come back.
absl::StatusOr<std::unique_ptr<EmbeddedPostgres>> StartIn(const fs::path& directory) {
  return EmbeddedPostgres::Start({.data_dir = directory,
                                  .bin_dir = {},
                                  .search_path = {},
                                  .settings = {"shared_buffers=16MB"},
                                  .durable = false});
}

absl::Status Execute(const std::string& conninfo, const std::string& sql) {
  const auto connection = Connect(conninfo);
  if (!connection.ok()) return connection.status();
  return InTransaction(**connection, [&](pqxx::work& transaction) {
    ExecScript(transaction, sql);
    return absl::OkStatus();
  });
}

absl::StatusOr<std::string> Ask(const std::string& conninfo, const std::string& sql) {
  const auto connection = Connect(conninfo);
  if (!connection.ok()) return connection.status();
  return InTransaction(**connection, [&](pqxx::work& transaction) -> absl::StatusOr<std::string> {
    return Get<std::string>(ExecScript(transaction, sql)[0][0]);
  });
}

// Hears of the server's comings and goings.
class Ear {
 public:
  void Hear(bool serving) {
    const std::lock_guard lock(mutex_);
    (serving ? came_ : went_) = true;
    changed_.notify_all();
  }
  void AwaitReturn() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return went_ && came_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool went_ = false;
  bool came_ = false;
};

TEST(EmbeddedPostgresTest, MakesAClusterThatIsReachableThroughItsSocketAlone) {
  const TemporaryDirectory directory;
  const auto postgres = StartIn(directory.path());
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  const std::string conninfo = (*postgres)->conninfo();
  EXPECT_EQ(*Ask(conninfo, "SHOW listen_addresses"), "");
  EXPECT_EQ(*Ask(conninfo, "SHOW server_encoding"), "UTF8");
  EXPECT_EQ(*Ask(conninfo, "SHOW fsync"), "on");
  EXPECT_EQ(*Ask(conninfo, "SHOW data_checksums"), "on");
  EXPECT_EQ(*Ask(conninfo, "SELECT datcollate FROM pg_database WHERE datname = 'regressd'"), "C");
  struct stat info {};
  for (const char* part : {"postgres", "socket"}) {
    ASSERT_EQ(stat((directory.path() / part).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U) << part;
    EXPECT_NE(info.st_uid, 0U) << part;  // PostgreSQL refuses root; as a user we are not root.
  }
}

TEST(EmbeddedPostgresTest, KeepsItsDataFromOneStartToTheNext) {
  const TemporaryDirectory directory;
  for (const char* sql : {"CREATE TABLE t (x int)", "INSERT INTO t VALUES (1)"}) {
    const auto postgres = StartIn(directory.path());
    ASSERT_TRUE(postgres.ok()) << postgres.status();
    EXPECT_TRUE(Execute((*postgres)->conninfo(), sql).ok());
    (*postgres)->Stop();
    EXPECT_THAT(ProcessesIn(directory.path() / "postgres", "postgres"), IsEmpty());
  }
}

TEST(EmbeddedPostgresTest, StartsTheServerAgainWhenItIsKilledAndLosesNothingCommitted) {
  const TemporaryDirectory directory;
  const auto postgres = StartIn(directory.path());
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  ASSERT_TRUE(
      Execute((*postgres)->conninfo(), "CREATE TABLE t (x int); INSERT INTO t VALUES (42)").ok());
  Ear ear;
  (*postgres)->Listen([&](bool serving) { ear.Hear(serving); });
  const pid_t before = (*postgres)->postmaster_pid();
  ASSERT_EQ(kill(before, SIGKILL), 0);
  ear.AwaitReturn();
  EXPECT_NE((*postgres)->postmaster_pid(), before);
  EXPECT_EQ(*Ask((*postgres)->conninfo(), "SELECT x::text FROM t"), "42");
  (*postgres)->Listen({});
}

TEST(EmbeddedPostgresTest, APoolWorksAgainAfterTheServerWasKilled) {
  const TemporaryDirectory directory;
  const auto postgres = StartIn(directory.path());
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  ConnectionPool pool({.conninfo = (*postgres)->conninfo()});
  const auto ask = [&] {
    return InTransaction(pool, [](pqxx::work& transaction) {
      ExecScript(transaction, "SELECT 1");
      return absl::OkStatus();
    });
  };
  ASSERT_TRUE(ask().ok());
  Ear ear;
  (*postgres)->Listen([&](bool serving) { ear.Hear(serving); });
  ASSERT_EQ(kill((*postgres)->postmaster_pid(), SIGKILL), 0);
  ear.AwaitReturn();
  EXPECT_TRUE(ask().ok()) << ask();
  (*postgres)->Listen({});
}

TEST(EmbeddedPostgresTest, FindsItsClusterAgainAfterOurOwnProcessWasKilled) {
  const TemporaryDirectory directory;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    close(ready[0]);  // Ends with us, also when starting failed.
    const auto postgres = StartIn(directory.path());
    if (postgres.ok() && Execute((*postgres)->conninfo(), "CREATE TABLE t AS SELECT 7 AS x").ok() &&
        write(ready[1], "x", 1) == 1) {
      pause();
    }
    _exit(1);
  }
  close(ready[1]);
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  kill(owner, SIGKILL);
  Reap(owner);

  const auto postgres = StartIn(directory.path());
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  EXPECT_EQ(*Ask((*postgres)->conninfo(), "SELECT x::text FROM t"), "7");
}

TEST(EmbeddedPostgresTest, StopsAServerThatWasLeftBehindAndStartsItsOwn) {
  const TemporaryDirectory directory;
  std::string conninfo;
  {
    const auto postgres = StartIn(directory.path());
    ASSERT_TRUE(postgres.ok()) << postgres.status();
    conninfo = (*postgres)->conninfo();
  }
  // As if no parent-death signal had come: the same server, started by somebody else.
  const auto installed = FindPostgresBinaries({}, {});
  ASSERT_TRUE(installed.ok());
  const auto binaries = ChooseBinaries(*installed, directory.path() / "postgres");
  ASSERT_TRUE(binaries.ok());
  std::optional<UserIds> user;
  if (geteuid() == 0) user = *LookUpUser("postgres");
  const auto orphan =
      Spawn({.arguments = {(binaries->directory / "postgres").string(), "-D",
                           (directory.path() / "postgres").string(), "-c",
                           "listen_addresses=", "-k", (directory.path() / "socket").string()},
             .user = user,
             .working_directory = directory.path() / "postgres",
             .output = directory.path() / "orphan.log"});
  ASSERT_TRUE(orphan.ok()) << orphan.status();
  while (!Connect(conninfo).ok() && !HasEnded(*orphan))
    usleep(10000);  // A client's poll, as pg_ctl does.

  const auto postgres = StartIn(directory.path());
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  EXPECT_TRUE(HasEnded(*orphan));
  EXPECT_NE((*postgres)->postmaster_pid(), *orphan);
  EXPECT_EQ(Reap(*orphan), "exit status 0");  // A clean shutdown, no crash.
  EXPECT_TRUE(Execute((*postgres)->conninfo(), "SELECT 1").ok());
}

TEST(EmbeddedPostgresTest, StaleLockFilesThatNameALivingStrangerAreNoObstacle) {
  const TemporaryDirectory directory;
  { ASSERT_TRUE(StartIn(directory.path()).ok()); }
  // PostgreSQL takes any living pid but its own family's for a server; after a reboot it may be
  // anybody's.
  const pid_t stranger = fork();
  if (stranger == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  std::ofstream(directory.path() / "postgres" / "postmaster.pid")
      << stranger << "\n"
      << (directory.path() / "postgres").string() << "\n1700000000\n5432\n";
  std::ofstream(directory.path() / "socket" / ".s.PGSQL.5432.lock")
      << stranger << "\n"
      << (directory.path() / "postgres").string() << "\n1700000000\n5432\n";
  const auto postgres = StartIn(directory.path());
  EXPECT_TRUE(postgres.ok()) << postgres.status();
  EXPECT_FALSE(HasEnded(stranger));
  kill(stranger, SIGKILL);
  Reap(stranger);
}

TEST(EmbeddedPostgresTest, ASecondOwnerIsRefusedWithThePidOfTheFirst) {
  const TemporaryDirectory directory;
  const auto first = StartIn(directory.path());
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = StartIn(directory.path());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(second.status().message()),
      AllOf(HasSubstr("in use by another regressd"), HasSubstr("pid " + std::to_string(getpid()))));
  EXPECT_TRUE(Execute((*first)->conninfo(), "SELECT 1").ok());
}

TEST(EmbeddedPostgresTest, AClusterOfAnotherMajorVersionIsRefusedAndLeftAlone) {
  const TemporaryDirectory directory;
  { ASSERT_TRUE(StartIn(directory.path()).ok()); }
  const fs::path version = directory.path() / "postgres" / "PG_VERSION";
  std::ofstream(version) << "9\n";
  const auto postgres = StartIn(directory.path());
  EXPECT_EQ(postgres.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(postgres.status().message()),
              AllOf(HasSubstr("was made by PostgreSQL 9"), HasSubstr("pg_upgrade")));
}

TEST(EmbeddedPostgresTest, AClusterThatOthersMayReadIsRefused) {
  const TemporaryDirectory directory;
  { ASSERT_TRUE(StartIn(directory.path()).ok()); }
  ASSERT_EQ(chmod((directory.path() / "postgres").c_str(), 0755), 0);
  const auto postgres = StartIn(directory.path());
  EXPECT_EQ(postgres.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(postgres.status().message()), HasSubstr("chmod 0700"));
}

// Drafts of a cluster in a data directory.
std::vector<fs::path> Drafts(const fs::path& directory) {
  std::vector<fs::path> drafts;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename().string().starts_with("postgres.new")) {
      drafts.push_back(entry.path());
    }
  }
  return drafts;
}

TEST(EmbeddedPostgresTest, AnInitdbThatWasCutShortIsDoneAgain) {
  const TemporaryDirectory directory;
  for (const char* draft : {"postgres.new", "postgres.new.AbCdEf"}) {
    fs::create_directory(directory.path() / draft);
    std::ofstream(directory.path() / draft / "half") << "x";
  }
  const auto postgres = StartIn(directory.path());
  EXPECT_TRUE(postgres.ok()) << postgres.status();
  EXPECT_THAT(Drafts(directory.path()), IsEmpty());
}

TEST(EmbeddedPostgresTest, StartsAtOnceAfterOurOwnProcessWasKilledDuringInitdb) {
  // Files in the order in which initdb makes them.
  for (const char* mark : {"", "global/pg_control", "base/1/1259"}) {
    const TemporaryDirectory directory;
    const pid_t owner = fork();
    if (owner == 0) {
      const auto postgres = StartIn(directory.path());
      pause();
      _exit(1);
    }
    const auto is_reached = [&] {
      const auto drafts = Drafts(directory.path());
      return fs::exists(directory.path() / "postgres") ||
             (!drafts.empty() && fs::exists(drafts.front() / mark));
    };
    while (!is_reached() && !HasEnded(owner)) usleep(100);
    kill(owner, SIGKILL);
    Reap(owner);
    const auto postgres = StartIn(directory.path());
    ASSERT_TRUE(postgres.ok()) << mark << ": " << postgres.status();
    EXPECT_TRUE(Execute((*postgres)->conninfo(), "SELECT 1").ok()) << mark;
    EXPECT_THAT(Drafts(directory.path()), IsEmpty()) << mark;
  }
}

TEST(EmbeddedPostgresTest, ADirectoryTooDeepForASocketGetsOneElsewhere) {
  const TemporaryDirectory directory;
  const fs::path deep = directory.path() / std::string(100, 'd');
  const auto postgres = StartIn(deep);
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  EXPECT_TRUE(Execute((*postgres)->conninfo(), "SELECT 1").ok());
  fs::remove_all(ChooseSocketDirectory(fs::canonical(deep),
                                       geteuid() == 0 ? LookUpUser("postgres")->uid : geteuid()));
}

TEST(EmbeddedPostgresTest, WhereNoPostgresIsTheMessageSaysWhatToDo) {
  const TemporaryDirectory directory;
  const auto postgres =
      EmbeddedPostgres::Start({.data_dir = directory.path(), .bin_dir = "/nowhere"});
  EXPECT_EQ(postgres.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(postgres.status().message()), HasSubstr("/nowhere does not hold"));
}

TEST(EmbeddedPostgresTest, AServerThatCannotStartIsToldInItsOwnWords) {
  const TemporaryDirectory directory;
  const auto postgres = EmbeddedPostgres::Start(
      {.data_dir = directory.path(), .settings = {"shared_buffers=nonsense"}, .durable = false});
  EXPECT_THAT(std::string(postgres.status().message()),
              AllOf(HasSubstr("PostgreSQL did not start"), HasSubstr("shared_buffers")));
}

TEST(SocketDirectoryTest, APathOf107BytesIsTheLongestThatFits) {
  // sockaddr_un.sun_path holds 108 bytes with the NUL (man 7 unix). "/socket/.s.PGSQL.5432" is 21.
  const std::string fits = "/" + std::string(107 - 21 - 1, 'd');
  EXPECT_EQ(ChooseSocketDirectory(fits, 1), fits + "/socket");
  EXPECT_THAT(ChooseSocketDirectory(fits + "d", 1).string(), HasSubstr("/tmp/regressd-1-"));
  EXPECT_THAT(ChooseSocketDirectory("/a,b", 1).string(), HasSubstr("/tmp/regressd-1-"));
}

}  // namespace
}  // namespace regressd::storage
