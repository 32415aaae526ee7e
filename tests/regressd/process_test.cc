#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "storage/child_process.h"
#include "storage/connection_pool.h"
#include "storage/migrator.h"
#include "tests/http/raw_client.h"
#include "tests/regressd/health_client.h"
#include "tests/regressd/server_process.h"
#include "tests/support/fake_agent.h"
#include "tests/support/raw_push.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_database.h"

namespace regressd {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Health;
using testing::HealthWatch;
using ::testing::IsEmpty;
using testing::ServerProcess;
using ::testing::StartsWith;
using testing::TemporaryDirectory;
using testing::TestDatabase;

class ProcessTest : public ::testing::Test {
 protected:
  fs::path data_dir() const { return folder_.path() / "data"; }
  std::vector<std::string> OwnPostgres() const { return {"--data-dir", data_dir().string()}; }

  pid_t PostmasterPid() const {
    pid_t pid = 0;
    std::ifstream(data_dir() / "postgres" / "postmaster.pid") >> pid;
    return pid;
  }

  TemporaryDirectory folder_;
};

TEST_F(ProcessTest, ServesOnFreePortsAndEndsWithStatusZeroOnSigterm) {
  ServerProcess server(folder_.path(), OwnPostgres());
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  for (const char* service : {"", "regressd.v1.IngestService", "regressd.v1.RunService"}) {
    EXPECT_EQ(HealthWatch(server.grpc_port(), service).Next(), Health::kServing) << service;
  }
  EXPECT_THAT(http::Fetch(server.http_port(), "GET", "/healthz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(http::Fetch(server.http_port(), "GET", "/metrics"),
              AllOf(HasSubstr("regressd_build_info{version=\""), HasSubstr("regressd_db_up 1")));
  EXPECT_THAT(http::Fetch(server.http_port(), "GET", "/"), StartsWith("HTTP/1.1 200 "));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.AwaitEnd(), "exit status 0") << server.Log();
  EXPECT_THAT(storage::ProcessesIn(data_dir() / "postgres", "postgres"), IsEmpty());
}

TEST_F(ProcessTest, SaysNotServingWhenPostgresIsKilledAndServingWhenItIsBack) {
  ServerProcess server(folder_.path(), OwnPostgres());
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  HealthWatch watch(server.grpc_port(), "regressd.v1.IngestService");
  ASSERT_EQ(watch.Next(), Health::kServing);
  ASSERT_EQ(kill(PostmasterPid(), SIGKILL), 0);
  EXPECT_EQ(watch.Next(), Health::kNotServing);
  EXPECT_EQ(watch.Next(), Health::kServing);
  EXPECT_THAT(http::Fetch(server.http_port(), "GET", "/"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ProcessTest, SaysNotServingWhileAGivenDatabaseIsAway) {
  const TemporaryDirectory elsewhere;
  const auto start = [&] {
    return storage::EmbeddedPostgres::Start({.data_dir = elsewhere.path(), .durable = false});
  };
  auto given = start();
  ASSERT_TRUE(given.ok()) << given.status();
  ServerProcess server(folder_.path(), {"--database-url", (*given)->conninfo()});
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  HealthWatch watch(server.grpc_port(), "");
  ASSERT_EQ(watch.Next(), Health::kServing);
  given->reset();
  EXPECT_EQ(watch.Next(), Health::kNotServing);
  EXPECT_THAT(http::Fetch(server.http_port(), "GET", "/healthz"), StartsWith("HTTP/1.1 503 "));
  given = start();
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(watch.Next(), Health::kServing);
}

// A file system of 64 MiB; empty where we may not mount one.
class SmallDisk {
 public:
  explicit SmallDisk(fs::path path) : path_(std::move(path)) {
    fs::create_directories(path_);
    if (mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=64m") != 0) error_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (error_.empty()) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::string& error() const { return error_; }
  void Fill() const {
    std::ofstream file(path_ / "filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) continue;
  }
  void MakeRoom() const { fs::remove(path_ / "filler"); }

 private:
  const fs::path path_;
  std::string error_;
};

// A Hello that takes more than the free part of a page: text that does not compress.
v1::PushRequest LargeHello(int number) {
  v1::PushRequest hello = test::HelloOf(number);
  std::mt19937 random(static_cast<unsigned>(number));
  std::string text(60000, ' ');
  for (char& c : text) c = static_cast<char>('!' + random() % 94);
  hello.mutable_hello()->mutable_run()->set_job_toml(text);
  return hello;
}

TEST_F(ProcessTest, SaysNotServingWhileTheDatabaseHasNoRoomAndSendsAgentsAway) {
  const TemporaryDirectory elsewhere;
  const SmallDisk disk(elsewhere.path() / "disk");
  if (!disk.error().empty()) {
    GTEST_SKIP() << "a small disk cannot be mounted here: " << disk.error();
  }
  const auto given =
      storage::EmbeddedPostgres::Start({.data_dir = elsewhere.path() / "pg", .durable = false});
  ASSERT_TRUE(given.ok()) << given.status();
  const fs::path space = elsewhere.path() / "disk" / "space";
  fs::create_directory(space);
  const auto postgres = storage::LookUpUser("postgres");
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  ASSERT_EQ(chown(space.c_str(), postgres->uid, postgres->gid), 0);
  {
    const auto connection = storage::Connect((*given)->conninfo());
    ASSERT_TRUE(connection.ok()) << connection.status();
    pqxx::nontransaction outside(**connection);
    outside.exec(fmt::format("CREATE TABLESPACE small LOCATION '{}'", space.string()));
    outside.exec("CREATE DATABASE small TABLESPACE small");
  }
  ServerProcess server(folder_.path(), {"--database-url", (*given)->Conninfo("small")});
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  HealthWatch watch(server.grpc_port(), "");
  ASSERT_EQ(watch.Next(), Health::kServing);
  const auto channel = grpc::CreateChannel(fmt::format("127.0.0.1:{}", server.grpc_port()),
                                           grpc::InsecureChannelCredentials());
  v1::PushResponse response;
  test::RawPush ends(channel, "");
  ASSERT_TRUE(ends.Write(test::HelloOf(1).SerializeAsString()));
  ASSERT_TRUE(ends.Read(&response));

  disk.Fill();
  test::RawPush begins(channel, "");
  ASSERT_TRUE(begins.Write(LargeHello(2).SerializeAsString()));
  ASSERT_TRUE(ends.Write(test::EndMessage().SerializeAsString()));
  for (test::RawPush* push : {&begins, &ends}) {
    const grpc::Status status = push->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("No space left on device"));
  }
  EXPECT_EQ(watch.Next(), Health::kNotServing);
  EXPECT_THAT(http::Fetch(server.http_port(), "GET", "/healthz"),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("No space left on device")));

  disk.MakeRoom();
  EXPECT_EQ(watch.Next(), Health::kServing);
  test::RawPush again(channel, "");
  ASSERT_TRUE(again.Write(LargeHello(2).SerializeAsString()));
  ASSERT_TRUE(again.Read(&response));
  EXPECT_TRUE(response.has_resume());
}

TEST_F(ProcessTest, SaysNotServingWhileItDrains) {
  ServerProcess server(folder_.path(), OwnPostgres());
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  HealthWatch watch(server.grpc_port(), "");
  ASSERT_EQ(watch.Next(), Health::kServing);
  server.Signal(SIGTERM);
  EXPECT_EQ(watch.Next(), Health::kNotServing);
  EXPECT_EQ(server.AwaitEnd(), "exit status 0");
}

TEST_F(ProcessTest, StartsAgainOnItsDataAfterItWasKilled) {
  {
    ServerProcess server(folder_.path(), OwnPostgres());
    ASSERT_TRUE(server.AwaitPorts()) << server.Log();
    server.Signal(SIGKILL);
    EXPECT_EQ(server.AwaitEnd(), "signal 9");
  }
  ServerProcess server(folder_.path(), OwnPostgres());
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  EXPECT_EQ(HealthWatch(server.grpc_port(), "").Next(), Health::kServing);
  EXPECT_THAT(server.Log(), HasSubstr("(0 migrations applied)"));
}

TEST_F(ProcessTest, ASecondServerOnTheSameDataIsRefused) {
  ServerProcess first(folder_.path(), OwnPostgres());
  ASSERT_TRUE(first.AwaitPorts()) << first.Log();
  const TemporaryDirectory other;
  ServerProcess second(other.path(), OwnPostgres());
  EXPECT_EQ(second.AwaitEnd(), "exit status 1");
  EXPECT_THAT(second.Log(), HasSubstr("in use by another regressd (pid "));
}

TEST_F(ProcessTest, TwoServersStartTogetherOnOneNewDatabase) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  const TemporaryDirectory other;
  ServerProcess one(folder_.path(), {"--database-url", database.conninfo()});
  ServerProcess two(other.path(), {"--database-url", database.conninfo()});
  ASSERT_TRUE(one.AwaitPorts()) << one.Log();
  ASSERT_TRUE(two.AwaitPorts()) << two.Log();
  EXPECT_EQ(HealthWatch(one.grpc_port(), "").Next(), Health::kServing);
  EXPECT_EQ(HealthWatch(two.grpc_port(), "").Next(), Health::kServing);
  EXPECT_FALSE(fs::exists(data_dir()));
}

TEST_F(ProcessTest, ASchemaNewerThanTheBinaryIsRefused) {
  const TestDatabase database;
  const auto connection = storage::Connect(database.conninfo());
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(storage::InTransaction(**connection, [](pqxx::work& transaction) {
                storage::ExecScript(transaction,
                                    "INSERT INTO schema_version (version, name, checksum) "
                                    "VALUES (999, 'from_the_future', '')");
                return absl::OkStatus();
              }).ok());
  ServerProcess server(folder_.path(), {"--database-url", database.conninfo()});
  EXPECT_EQ(server.AwaitEnd(), "exit status 1");
  EXPECT_THAT(server.Log(), HasSubstr("schema is version 999"));
}

TEST_F(ProcessTest, BadUsageEndsWithStatusTwoBeforeAnythingIsTouched) {
  ServerProcess server(folder_.path(), {"--data-dri", data_dir().string()});
  EXPECT_EQ(server.AwaitEnd(), "exit status 2");
  EXPECT_THAT(server.Log(), HasSubstr("did you mean --data-dir?"));
  EXPECT_FALSE(fs::exists(data_dir()));
}

TEST_F(ProcessTest, LogsOneJsonObjectALineWhenNobodyWatches) {
  const TestDatabase database;
  ServerProcess server(folder_.path(), {"--database-url", database.conninfo()});
  ASSERT_TRUE(server.AwaitPorts()) << server.Log();
  const auto channel = grpc::CreateChannel(fmt::format("127.0.0.1:{}", server.grpc_port()),
                                           grpc::InsecureChannelCredentials());
  // A gap whose reason is no UTF-8: protobuf itself writes to the log.
  test::RawPush bad_text(channel, "");
  bad_text.Write("\x3a\x04\x22\x02\xc3\x28");
  EXPECT_EQ(bad_text.Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  test::RawPush too_large(channel, "");
  too_large.Write(std::string(5 << 20, 'x'));
  EXPECT_THAT(too_large.Finish().error_message(), HasSubstr("has 5242880 bytes"));
  server.Signal(SIGTERM);
  server.AwaitEnd();
  EXPECT_THAT(server.Log(), HasSubstr("regressd.v1.Gap.reason"));
  std::ifstream log(folder_.path() / "regressd.log");
  int lines = 0;
  for (std::string line; std::getline(log, line); ++lines) {
    const auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(parsed.is_object() && parsed.contains("time") && parsed.contains("level") &&
                parsed.contains("message"))
        << line;
  }
  EXPECT_GT(lines, 0);
}

}  // namespace
}  // namespace regressd
