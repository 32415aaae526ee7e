#include "tests/support/memory_store.h"

#include "tests/support/memory_ingest.h"
#include "tests/support/memory_state.h"

namespace regressd::test {

MemoryStore::MemoryStore(const common::Clock& clock)
    : state_(std::make_unique<MemoryState>(clock)) {}

MemoryStore::~MemoryStore() = default;

void MemoryStore::FailWith(absl::Status status) {
  const std::lock_guard lock(state_->mutex);
  state_->failure = std::move(status);
}

void MemoryStore::MarkDeleted(std::int64_t run_id) {
  const std::lock_guard lock(state_->mutex);
  if (StoredRun* run = state_->FindRun(run_id)) run->deleted = true;
}

absl::StatusOr<std::unique_ptr<storage::IngestStore>> MemoryStore::Connect() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  return std::make_unique<MemoryIngestStore>(*state_);
}

}  // namespace regressd::test
