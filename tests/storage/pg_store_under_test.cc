#include "storage/connection_pool.h"
#include "storage/pg_commit_store.h"
#include "storage/pg_ingest_store.h"
#include "storage/pg_regression_store.h"
#include "storage/pg_run_store.h"
#include "tests/storage/store_under_test.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

class PgStoreUnderTest : public StoreUnderTest {
 public:
  IngestStoreFactory& ingest() override { return ingest_; }
  RunStore& runs() override { return runs_; }
  CommitStore& commits() override { return commits_; }
  RegressionStore& regressions() override { return regressions_; }

  // The server's clock is always later, in microseconds, when the next statement comes.
  void PassTime() override {}
  void EndWaiting() override {
    Run("UPDATE detection_due SET due_time = due_time - interval '1 hour'");
  }
  void MarkDeleted(std::int64_t run_id) override {
    Run(fmt::format("UPDATE run SET state = 'deleted' WHERE run_id = {}", run_id));
  }

 private:
  void Run(const std::string& sql) {
    const absl::Status status = InTransaction(pool_, [&](pqxx::transaction_base& transaction) {
      ExecScript(transaction, sql);
      return absl::OkStatus();
    });
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }

  testing::TestDatabase database_;
  ConnectionPool pool_{{.conninfo = database_.conninfo()}};
  PgIngestStoreFactory ingest_{{.conninfo = database_.conninfo()}};
  PgRunStore runs_{pool_};
  PgCommitStore commits_{pool_};
  PgRegressionStore regressions_{pool_};
};

}  // namespace

std::unique_ptr<StoreUnderTest> MakeStoreUnderTest() {
  return std::make_unique<PgStoreUnderTest>();
}

}  // namespace regressd::storage
