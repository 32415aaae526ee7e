#include "tests/storage/store_under_test.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace regressd::storage {
namespace {

class MemoryStoreUnderTest : public StoreUnderTest {
 public:
  IngestStoreFactory& ingest() override { return store_; }
  RunStore& runs() override { return store_; }
  CommitStore& commits() override { return store_; }
  RegressionStore& regressions() override { return store_; }

  void PassTime() override { clock_.Advance(std::chrono::milliseconds{1}); }
  void EndWaiting() override { clock_.Advance(std::chrono::hours{1}); }
  void MarkDeleted(std::int64_t run_id) override { store_.MarkDeleted(run_id); }

 private:
  test::ManualClock clock_;
  test::MemoryStore store_{clock_};
};

}  // namespace

std::unique_ptr<StoreUnderTest> MakeStoreUnderTest() {
  return std::make_unique<MemoryStoreUnderTest>();
}

}  // namespace regressd::storage
