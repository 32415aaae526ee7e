// A database made by the first release, with runs and a regression in it, must come up to today's
// schema.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "storage/connection_pool.h"
#include "storage/migrator.h"
#include "storage/pg_regression_store.h"
#include "storage/pg_run_store.h"
#include "tests/support/nouns_of.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using testing::TestDatabase;

std::string FirstSchema() {
  std::ifstream file(REGRESSD_TEST_DATA "/first_schema.sql", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::unique_ptr<pqxx::connection> Open(const TestDatabase& database) {
  auto connection = Connect(database.conninfo());
  EXPECT_TRUE(connection.ok()) << connection.status();
  return *std::move(connection);
}

/// Every column of every table and view that is not a daily partition, as "table.column type".
absl::StatusOr<std::set<std::string>> Columns(pqxx::connection& connection) {
  return InTransaction(connection, [](pqxx::work& work) -> absl::StatusOr<std::set<std::string>> {
    std::set<std::string> columns;
    for (const auto& row :
         ExecScript(work,
                    "SELECT table_name || '.' || column_name || ' ' || data_type "
                    "FROM information_schema.columns WHERE table_schema = 'public' "
                    "AND table_name !~ '_[0-9]{8}$'")) {
      columns.insert(Get<std::string>(row[0]));
    }
    return columns;
  });
}

class UpgradeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto connection = Open(old_);
    const absl::Status restored = InTransaction(*connection, [](pqxx::work& work) -> absl::Status {
      ExecScript(work, FirstSchema());
      return absl::OkStatus();
    });
    ASSERT_TRUE(restored.ok()) << restored;
    const auto migrated = Migrate(*connection, EmbeddedMigrations());
    ASSERT_TRUE(migrated.ok()) << migrated.status();
    EXPECT_EQ(migrated->version, EmbeddedMigrations().back().version);
  }

  TestDatabase old_{TestDatabase::Schema::kEmpty};
};

TEST_F(UpgradeTest, HasTheColumnsOfANewDatabase) {
  const TestDatabase fresh;
  const auto upgraded = Columns(*Open(old_));
  const auto expected = Columns(*Open(fresh));
  ASSERT_TRUE(upgraded.ok() && expected.ok()) << upgraded.status() << expected.status();
  EXPECT_FALSE(expected->empty());
  EXPECT_EQ(*upgraded, *expected);
}

TEST_F(UpgradeTest, KeepsRunsSamplesAndRegressions) {
  ConnectionPool pool({.conninfo = old_.conninfo()});
  PgRunStore runs(pool);
  const auto found = runs.ListRuns({}, std::nullopt, 100);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 9u);  // Four of v1 and four of v2, then a pushed vmstat recording.

  const std::string metric = "vmstat.swap.so";
  std::vector<double> values;
  const absl::Status read = runs.ReadSamples(found->front().position.run_id, std::span(&metric, 1),
                                             {}, [&](SamplePart part) {
                                               for (const Sample& sample : part.samples)
                                                 values.push_back(sample.value.value());
                                               return absl::OkStatus();
                                             });
  ASSERT_TRUE(read.ok()) << read;
  EXPECT_EQ(values, std::vector<double>{12});  // The recording's one row after the one since boot.

  PgRegressionStore regressions(pool);
  const auto flagged = test::NounsOf(regressions.ListRegressions({}, std::nullopt, 10));
  ASSERT_EQ(flagged.size(), 1u);
  // The runs gave 1000..1003 and 900..903: means 1001.5 and 901.5.
  ASSERT_EQ(flagged.front().metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(flagged.front().metrics[0].judgement.base.mean, 1001.5);
  EXPECT_DOUBLE_EQ(flagged.front().metrics[0].judgement.head.mean, 901.5);
}

}  // namespace
}  // namespace regressd::storage
