#include "storage/partitions.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "storage/connection_pool.h"
#include "storage/pqxx_compat.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

int CountPartitions(const std::string& conninfo) {
  auto connection = Connect(conninfo);
  EXPECT_TRUE(connection.ok()) << connection.status();
  int count = 0;
  const absl::Status read = InTransaction(**connection, [&](pqxx::work& transaction) {
    count = Get<int>(ExecScript(transaction,
                                "SELECT count(*) FROM pg_inherits WHERE inhparent IN "
                                "('sample_row'::regclass, 'sample_block'::regclass)")[0][0]);
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
  return count;
}

TEST(PartitionMakerTest, MakesTodayAndThreeDaysAheadOnceFromSeveralServers) {
  const regressd::testing::TestDatabase database;
  const auto make = [&] {
    PartitionMaker maker({.conninfo = database.conninfo()});
    const absl::Status made = maker.MakeOnce();
    EXPECT_TRUE(made.ok()) << made;
  };
  std::jthread first(make);
  std::jthread second(make);
  first.join();
  second.join();
  // Two tables, each with a default partition and four days; five when midnight passed in between.
  const int count = CountPartitions(database.conninfo());
  EXPECT_TRUE(count == 10 || count == 12) << count;
}

TEST(PartitionMakerTest, StopsWhenItIsAskedTo) {
  PartitionMaker maker({.conninfo = "host=/nonexistent"});
  std::jthread running([&](std::stop_token stop) { maker.Run(stop); });
  running.request_stop();
  running.join();
  EXPECT_EQ(maker.MakeOnce().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace regressd::storage
