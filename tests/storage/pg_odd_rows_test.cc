// Rows that no version of ours should have written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "storage/connection_pool.h"
#include "storage/pg_ingest_store.h"
#include "storage/pg_run_store.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using test::RunSpecOf;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(PgOddRowsTest, ARunWithOddFactsAndNotesIsListedWithTheOthersAndSaysSo) {
  const regressd::testing::TestDatabase database;
  ConnectionPool pool({.conninfo = database.conninfo()});
  const auto ingest = PgIngestStore::Connect({.conninfo = database.conninfo()});
  ASSERT_TRUE(ingest.ok()) << ingest.status();
  for (const int number : {1, 2, 3}) {
    ASSERT_TRUE((*ingest)->OpenRun(RunSpecOf(number), "tester").ok());
  }
  const absl::Status damaged = InTransaction(pool, [&](pqxx::transaction_base& transaction) {
    Exec(transaction,
         "UPDATE run SET facts = '{\"cpu_count\": \"many\", \"cpu_model\": \"Xeon\"}', "
         "monitor_notes = '{\"vmstat\": [1]}' WHERE run_id = $1::int8",
         RunSpecOf(2).key.run_id);
    return absl::OkStatus();
  });
  ASSERT_TRUE(damaged.ok()) << damaged;

  PgRunStore store(pool);
  const auto runs = store.ListRuns({}, std::nullopt, 10);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 3U);
  EXPECT_EQ((*runs)[0].spec.facts.cpu_count, 72);
  EXPECT_EQ((*runs)[1].spec.facts.cpu_model, "Xeon");
  EXPECT_THAT((*runs)[1].spec.monitor_notes,
              AllOf(Contains(Pair("vmstat", "[1]")),
                    Contains(Pair("machine facts", HasSubstr("cannot read: cpu_count")))));
}

}  // namespace
}  // namespace regressd::storage
