#include "storage/migrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "storage/connection_pool.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using ::testing::HasSubstr;
using testing::TestDatabase;

std::unique_ptr<pqxx::connection> Open(const TestDatabase& database) {
  auto connection = Connect(database.conninfo());
  EXPECT_TRUE(connection.ok()) << connection.status();
  return *std::move(connection);
}

absl::StatusOr<int> Count(pqxx::connection& connection, const std::string& table) {
  return InTransaction(connection, [&](pqxx::work& transaction) -> absl::StatusOr<int> {
    return Get<int>(ExecScript(transaction, "SELECT count(*) FROM " + table)[0][0]);
  });
}

constexpr Migration kFirst{.version = 1, .name = "first", .sql = "CREATE TABLE a (x int);"};
constexpr Migration kSecond{
    .version = 2, .name = "second", .sql = "INSERT INTO a VALUES (1); INSERT INTO a VALUES (2);"};
constexpr Migration kBroken{
    .version = 3, .name = "broken", .sql = "CREATE TABLE b (x int); SELECT 1/0;"};

TEST(MigratorTest, AppliesEachMigrationOnceAndInOrder) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  const auto connection = Open(database);
  const Migration both[] = {kFirst, kSecond};
  for (const int applied : {2, 0}) {
    const auto outcome = Migrate(*connection, both);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->version, 2);
    EXPECT_EQ(outcome->applied_count, applied);
  }
  EXPECT_EQ(*Count(*connection, "a"), 2);  // kSecond's two rows, not four.
}

TEST(MigratorTest, AddsOnlyWhatANewerBinaryBrings) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  const auto connection = Open(database);
  ASSERT_TRUE(Migrate(*connection, std::span(&kFirst, 1)).ok());
  const Migration both[] = {kFirst, kSecond};
  const auto outcome = Migrate(*connection, both);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->applied_count, 1);
}

TEST(MigratorTest, TwoServersThatStartTogetherApplyEachMigrationOnce) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  constexpr int kServers = 4;
  std::latch ready(kServers);
  std::vector<absl::StatusOr<MigrationOutcome>> outcomes(kServers, absl::UnknownError("not run"));
  {
    std::vector<std::jthread> servers;
    for (int i = 0; i < kServers; ++i) {
      servers.emplace_back([&, i] {
        const auto connection = Open(database);
        ready.arrive_and_wait();
        outcomes[static_cast<std::size_t>(i)] = Migrate(*connection, EmbeddedMigrations());
      });
    }
  }
  int applied = 0;
  for (const auto& outcome : outcomes) {
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    applied += outcome->applied_count;
  }
  EXPECT_EQ(applied, static_cast<int>(EmbeddedMigrations().size()));
}

TEST(MigratorTest, RefusesASchemaNewerThanTheBinary) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  const auto connection = Open(database);
  const Migration both[] = {kFirst, kSecond};
  ASSERT_TRUE(Migrate(*connection, both).ok());
  const auto outcome = Migrate(*connection, std::span(&kFirst, 1));
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(outcome.status().message()),
              HasSubstr("schema is version 2 and this regressd knows versions up to 1"));
}

TEST(MigratorTest, RefusesAMigrationThatWasEditedAfterItWasApplied) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  const auto connection = Open(database);
  ASSERT_TRUE(Migrate(*connection, std::span(&kFirst, 1)).ok());
  const Migration edited{.version = 1, .name = "first", .sql = "CREATE TABLE a (x bigint);"};
  EXPECT_EQ(Migrate(*connection, std::span(&edited, 1)).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(MigratorTest, AFailingMigrationLeavesNothingBehindAndIsNamed) {
  const TestDatabase database(TestDatabase::Schema::kEmpty);
  const auto connection = Open(database);
  const Migration all[] = {kFirst, kSecond, kBroken};
  const auto outcome = Migrate(*connection, all);
  EXPECT_THAT(std::string(outcome.status().message()), HasSubstr("V003__broken"));
  EXPECT_FALSE(Count(*connection, "a").ok());
  EXPECT_FALSE(Count(*connection, "schema_version").ok());
}

TEST(MigratorTest, TheTestTemplateHasTheWholeSchema) {
  const TestDatabase database;
  const auto connection = Open(database);
  const auto outcome = Migrate(*connection, EmbeddedMigrations());
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->applied_count, 0);
  EXPECT_TRUE(Count(*connection, "sample_row").ok());
}

}  // namespace
}  // namespace regressd::storage
