#pragma once

#include <string>

#include "storage/embedded_postgres.h"

namespace regressd::testing {

/// A database of its own for one test, in a private cluster that the tests of a process share; gone
/// with the object. The cluster does not flush to disk: it is fast and may not be trusted with a
/// crash. Trouble ends the test program with a message, as no test can go on without its database.
class TestDatabase {
 public:
  enum class Schema { kMigrated, kEmpty };

  /// `kMigrated`: with all migrations of the binary applied.
  explicit TestDatabase(Schema schema = Schema::kMigrated);
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  /// For pqxx::connection, PQconnectdb or storage::ConnectionPool.
  const std::string& conninfo() const { return conninfo_; }

 private:
  std::string name_;
  std::string conninfo_;
};

/// The cluster behind the test databases, started when first asked for.
storage::EmbeddedPostgres& TestCluster();

}  // namespace regressd::testing
