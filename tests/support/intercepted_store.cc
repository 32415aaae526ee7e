#include "tests/support/intercepted_store.h"

namespace regressd::test {
namespace {

using storage::IngestStore;

class InterceptedStore : public IngestStore {
 public:
  InterceptedStore(const InterceptedFactory& hooks, std::unique_ptr<IngestStore> inner)
      : hooks_(hooks), inner_(std::move(inner)) {}

  absl::StatusOr<storage::OpenedRun> OpenRun(const model::RunSpec& spec,
                                             std::string_view created_by) override {
    if (hooks_.before_open) {
      if (auto status = hooks_.before_open(); !status.ok()) return status;
    }
    return inner_->OpenRun(spec, created_by);
  }
  absl::StatusOr<std::int64_t> DeclareSource(std::int64_t run_id, std::int64_t epoch,
                                             const model::Source& source) override {
    return inner_->DeclareSource(run_id, epoch, source);
  }
  absl::Status AddStacks(std::int64_t run_id, std::span<const std::string> folded) override {
    return inner_->AddStacks(run_id, folded);
  }
  absl::Status CommitBatches(std::span<const storage::EncodedBatch> batches) override {
    if (hooks_.before_commit) {
      if (auto status = hooks_.before_commit(batches); !status.ok()) return status;
    }
    if (auto status = inner_->CommitBatches(batches); !status.ok()) return status;
    return hooks_.after_commit ? hooks_.after_commit(batches) : absl::OkStatus();
  }
  absl::StatusOr<std::vector<CursorState>> ReadCursors(
      std::span<const std::int64_t> run_ids) override {
    return inner_->ReadCursors(run_ids);
  }
  absl::StatusOr<model::RunState> EndRun(std::int64_t run_id, std::int64_t epoch,
                                         const model::RunOutcome& outcome) override {
    if (hooks_.before_end) {
      if (auto status = hooks_.before_end(); !status.ok()) return status;
    }
    return inner_->EndRun(run_id, epoch, outcome);
  }

 private:
  const InterceptedFactory& hooks_;
  const std::unique_ptr<IngestStore> inner_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<storage::IngestStore>> InterceptedFactory::Connect() {
  if (before_connect) {
    if (auto status = before_connect(); !status.ok()) return status;
  }
  auto inner = inner_.Connect();
  if (!inner.ok()) return inner.status();
  return std::make_unique<InterceptedStore>(*this, *std::move(inner));
}

}  // namespace regressd::test
