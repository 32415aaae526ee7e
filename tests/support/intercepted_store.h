#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "storage/ingest_store.h"

namespace regressd::test {

/// Passes every call on to the stores of another factory, after and before asking the test: for
/// faults at exact places. Thread-safe. Set the hooks before the first call.
class InterceptedFactory : public storage::IngestStoreFactory {
 public:
  explicit InterceptedFactory(storage::IngestStoreFactory& inner) : inner_(inner) {}

  using Batches = std::span<const storage::EncodedBatch>;
  std::function<absl::Status()> before_connect;
  std::function<absl::Status(Batches)> before_commit;  ///< An error stands for the store's answer.
  std::function<absl::Status(Batches)> after_commit;   ///< What was stored stays stored.
  std::function<absl::Status()> before_open;
  std::function<absl::Status()> before_end;

  absl::StatusOr<std::unique_ptr<storage::IngestStore>> Connect() override;

 private:
  storage::IngestStoreFactory& inner_;
};

}  // namespace regressd::test
