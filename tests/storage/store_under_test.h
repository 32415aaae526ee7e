#pragma once

#include <cstdint>
#include <memory>

#include "storage/commit_store.h"
#include "storage/ingest_store.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace regressd::storage {

/// One empty set of stores on one state. The contract suite is linked once with the in-memory ones
/// and once with those on PostgreSQL.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;

  virtual IngestStoreFactory& ingest() = 0;
  virtual RunStore& runs() = 0;
  virtual CommitStore& commits() = 0;
  virtual RegressionStore& regressions() = 0;

  /// Moves the clock on, so that what happens next happens later.
  virtual void PassTime() = 0;
  /// Groups that wait after a failure have waited long enough.
  virtual void EndWaiting() = 0;
  /// As an operator's deletion leaves a run.
  virtual void MarkDeleted(std::int64_t run_id) = 0;
};

std::unique_ptr<StoreUnderTest> MakeStoreUnderTest();

}  // namespace regressd::storage
