#include "storage/connection_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <latch>
#include <limits>
#include <thread>

#include "storage/conninfo.h"
#include "storage/sql_status.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestDatabase;

class ConnectionPoolTest : public ::testing::Test {
 protected:
  absl::Status Execute(const std::string& sql) {
    return InTransaction(pool_, [&](pqxx::work& transaction) {
      ExecScript(transaction, sql);
      return absl::OkStatus();
    });
  }

  TestDatabase database_{TestDatabase::Schema::kEmpty};
  ConnectionPool pool_{{.conninfo = database_.conninfo(), .max_connections = 2}};
};

TEST_F(ConnectionPoolTest, ABusyPoolSaysSoWithinTheTimeGiven) {
  const auto first = pool_.Borrow();
  const auto second = pool_.Borrow();
  ASSERT_TRUE(first.ok() && second.ok());
  const auto third = pool_.Borrow(milliseconds(1));
  EXPECT_EQ(third.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(third.status().message()),
              HasSubstr("all 2 database connections are busy"));
}

TEST_F(ConnectionPoolTest, AConnectionThatComesBackIsLentAgain) {
  int pid = 0;
  { pid = (*pool_.Borrow())->backendpid(); }
  EXPECT_EQ((*pool_.Borrow())->backendpid(), pid);
}

TEST_F(ConnectionPoolTest, AConnectionThatTheServerEndedIsReplacedBeforeItIsLent) {
  int pid = 0;
  { pid = (*pool_.Borrow())->backendpid(); }
  TestDatabase other(TestDatabase::Schema::kEmpty);
  ConnectionPool killer({.conninfo = other.conninfo()});
  ASSERT_TRUE(InTransaction(killer, [&](pqxx::work& transaction) {
                // With a timeout it returns once the process is gone.
                Exec(transaction, "SELECT pg_terminate_backend($1::int4, 10000)", pid);
                return absl::OkStatus();
              }).ok());
  EXPECT_TRUE(Execute("SELECT 1").ok());
}

TEST_F(ConnectionPoolTest, AConnectionThatBreaksUnderAStatementIsUnavailableAndNotLentAgain) {
  EXPECT_EQ(Execute("SELECT pg_terminate_backend(pg_backend_pid())").code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(Execute("SELECT 1").ok());
}

TEST_F(ConnectionPoolTest, ManyThreadsShareFewConnections) {
  ASSERT_TRUE(Execute("CREATE TABLE t (x int)").ok());
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 20; ++j) failed += Execute("INSERT INTO t VALUES (1)").ok() ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failed, 0);
  const auto count = InTransaction(pool_, [](pqxx::work& transaction) -> absl::StatusOr<int> {
    return Get<int>(ExecScript(transaction, "SELECT count(*) FROM t")[0][0]);
  });
  EXPECT_EQ(*count, 160);
}

TEST_F(ConnectionPoolTest, AStatementThatTakesTooLongIsDeadlineExceeded) {
  ConnectionPool hasty({.conninfo = database_.conninfo(), .statement_timeout = milliseconds(10)});
  const absl::Status status = InTransaction(hasty, [](pqxx::work& transaction) {
    ExecScript(transaction, "SELECT pg_sleep(60)");
    return absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ConnectionPoolTest, TheStatementTimeoutLeavesNoTraceOnTheConnection) {
  ASSERT_TRUE(Execute("SELECT 1").ok());
  const auto lease = pool_.Borrow();
  const auto value =
      InTransaction(**lease, [](pqxx::work& transaction) -> absl::StatusOr<std::string> {
        return Get<std::string>(ExecScript(transaction, "SHOW statement_timeout")[0][0]);
      });
  EXPECT_EQ(*value, "0");
}

TEST_F(ConnectionPoolTest, AnErrorRollsBackWhatWasWritten) {
  ASSERT_TRUE(Execute("CREATE TABLE t (x int)").ok());
  const absl::Status status = InTransaction(pool_, [](pqxx::work& transaction) {
    ExecScript(transaction, "INSERT INTO t VALUES (1)");
    return absl::AbortedError("changed my mind");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  const auto count = InTransaction(pool_, [](pqxx::work& transaction) -> absl::StatusOr<int> {
    return Get<int>(ExecScript(transaction, "SELECT count(*) FROM t")[0][0]);
  });
  EXPECT_EQ(*count, 0);
}

TEST_F(ConnectionPoolTest, ASnapshotTransactionCannotWrite) {
  ASSERT_TRUE(Execute("CREATE TABLE t (x int)").ok());
  const absl::Status status =
      InTransaction<SnapshotTransaction>(pool_, [](SnapshotTransaction& transaction) {
        ExecScript(transaction, "INSERT INTO t VALUES (1)");
        return absl::OkStatus();
      });
  EXPECT_THAT(std::string(status.message()), HasSubstr("read-only transaction"));
}

TEST_F(ConnectionPoolTest, SqlErrorsKeepTheirMeaning) {
  ASSERT_TRUE(Execute("CREATE TABLE t (x int UNIQUE CHECK (x > 0))").ok());
  EXPECT_EQ(Execute("INSERT INTO t VALUES (1), (1)").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Execute("INSERT INTO t VALUES (0)").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Execute("SELECT 1/0").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Execute("SELECT nonsense").code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(Execute("SELECT  nonsense\n  FROM t").message()),
              HasSubstr("in: SELECT nonsense FROM t"));
}

TEST(ConnectTest, AServerThatIsNotThereIsUnavailable) {
  EXPECT_EQ(Connect("host=/nowhere dbname=x").status().code(), absl::StatusCode::kUnavailable);
  ConnectionPool pool({.conninfo = "host=/nowhere dbname=x"});
  EXPECT_EQ(pool.Borrow().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Connect("postgresql://[x").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ConninfoTest, KeepsWhatIsSaidAndNeverShowsThePassword) {
  const std::string url = "postgresql://ann:p%27w@db.example:6543/runs?connect_timeout=9";
  const auto full = ParseConninfo(*WithDefaults(url));
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->at("password"), "p'w");
  EXPECT_EQ(full->at("connect_timeout"), "9");
  EXPECT_EQ(full->at("client_encoding"), "UTF8");
  EXPECT_EQ(DescribeConninfo(url), "ann@db.example:6543/runs");
}

class PqxxCompatTest : public ConnectionPoolTest {
 protected:
  // What the server makes of one parameter.
  template <typename T>
  std::string Echo(const std::string& type, const T& value) {
    const auto text =
        InTransaction(pool_, [&](pqxx::work& transaction) -> absl::StatusOr<std::string> {
          const auto row = Exec(transaction, "SELECT ($1::" + type + ")::text", value)[0];
          return GetOptional<std::string>(row[0]).value_or("(null)");
        });
    return text.ok() ? *text : text.status().ToString();
  }
};

TEST_F(PqxxCompatTest, ParametersArriveAsTheyWere) {
  EXPECT_EQ(Echo("int8", std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Echo("float8", 0.1), "0.1");
  EXPECT_EQ(Echo("float8", 1e300), "1e+300");
  EXPECT_EQ(Echo("float8", std::nan("")), "NaN");
  EXPECT_EQ(Echo("float8", -std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(Echo("bool", true), "true");
  EXPECT_EQ(Echo("text", std::string_view("it's \\ \"q\"")), "it's \\ \"q\"");
  EXPECT_EQ(Echo("text", std::optional<std::string>()), "(null)");
  EXPECT_EQ(Echo("int4", std::optional<int>(5)), "5");
  EXPECT_EQ(Echo("int8[]", std::vector<std::int64_t>{1, -2}), "{1,-2}");
  EXPECT_EQ(Echo("bool[]", std::vector<bool>{true, false}), "{t,f}");
  EXPECT_EQ(Echo("text[]", std::vector<std::string>{}), "{}");
}

TEST_F(PqxxCompatTest, ATextWithANulByteIsRefusedInsteadOfCut) {
  EXPECT_THAT(Echo("text", std::string("a\0b", 3)), HasSubstr("NUL byte"));
}

TEST_F(PqxxCompatTest, ArraysComeBackElementByElement) {
  const std::vector<std::optional<std::string>> sent = {"plain", "",       "NULL", "a,b",
                                                        "{x}",   "q\"\\u", " sp ", std::nullopt};
  const auto got = InTransaction(
      pool_,
      [&](pqxx::work& transaction) -> absl::StatusOr<std::vector<std::optional<std::string>>> {
        return GetArrayOfOptional<std::string>(Exec(transaction, "SELECT $1::text[]", sent)[0][0]);
      });
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, sent);
  const auto numbers =
      InTransaction(pool_, [&](pqxx::work& transaction) -> absl::StatusOr<std::vector<double>> {
        return GetArray<double>(
            ExecScript(transaction, "SELECT '{0.5,-1e300,Infinity}'::float8[]")[0][0]);
      });
  EXPECT_THAT(*numbers, ElementsAre(0.5, -1e300, std::numeric_limits<double>::infinity()));
}

TEST_F(PqxxCompatTest, ANullOrAWrongTypeIsAnErrorNotAZero) {
  for (const char* sql : {"SELECT NULL::int4", "SELECT 'x'", "SELECT 3000000000"}) {
    const auto value = InTransaction(pool_, [&](pqxx::work& transaction) -> absl::StatusOr<int> {
      return Get<int>(ExecScript(transaction, sql)[0][0]);
    });
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInternal) << sql;
  }
}

TEST(SqlStatusTest, FailuresThatMayPassAreToldFromThoseThatWillNot) {
  // https://www.postgresql.org/docs/15/errcodes-appendix.html
  EXPECT_EQ(StatusFromSqlState("40P01", "").code(),
            absl::StatusCode::kAborted);  // deadlock_detected
  EXPECT_EQ(StatusFromSqlState("57P01", "").code(),
            absl::StatusCode::kUnavailable);  // admin_shutdown
  EXPECT_EQ(StatusFromSqlState("53300", "").code(),
            absl::StatusCode::kUnavailable);  // too_many_connections
  EXPECT_EQ(StatusFromSqlState("53100", "").code(),
            absl::StatusCode::kResourceExhausted);  // disk_full
  EXPECT_EQ(StatusFromSqlState("42P01", "").code(),
            absl::StatusCode::kInternal);  // undefined_table
  EXPECT_EQ(StatusFromSqlState("", "").code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace regressd::storage
