#pragma once

#include "storage/ingest_store.h"
#include "tests/support/memory_state.h"

namespace regressd::test {

/// MemoryStore's IngestStore. Thread-safe, unlike what its contract asks.
class MemoryIngestStore : public storage::IngestStore {
 public:
  explicit MemoryIngestStore(MemoryState& state) : state_(state) {}

  absl::StatusOr<storage::OpenedRun> OpenRun(const model::RunSpec& spec,
                                             std::string_view created_by) override;
  absl::StatusOr<std::int64_t> DeclareSource(std::int64_t run_id, std::int64_t epoch,
                                             const model::Source& source) override;
  absl::Status AddStacks(std::int64_t run_id, std::span<const std::string> folded) override;
  absl::Status CommitBatches(std::span<const storage::EncodedBatch> batches) override;
  absl::StatusOr<std::vector<CursorState>> ReadCursors(
      std::span<const std::int64_t> run_ids) override;
  absl::StatusOr<model::RunState> EndRun(std::int64_t run_id, std::int64_t epoch,
                                         const model::RunOutcome& outcome) override;

 private:
  MemoryState& state_;
};

}  // namespace regressd::test
