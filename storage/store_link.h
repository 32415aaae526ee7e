#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include "storage/ingest_store.h"
#include "storage/ingest_stream.h"

namespace regressd::storage {

/// One thread's IngestStore, made again when it is lost, with growing pauses while that fails.
/// One thread.
class StoreLink {
 public:
  struct Backoff {
    std::chrono::milliseconds first{100};
    std::chrono::milliseconds longest{5000};
  };

  /// `give_up` ends every wait.
  StoreLink(IngestStoreFactory& factory, CommitObserver& observer, const Backoff& backoff,
            std::stop_token give_up)
      : factory_(factory), observer_(observer), backoff_(backoff), give_up_(std::move(give_up)) {}

  /// The store; connects when there is none, as often as it takes. Calls `while_away` after each
  /// attempt that failed. Null once given up.
  IngestStore* Await(const std::function<void(const absl::Status&)>& while_away);
  /// The store; connects at most once, at once.
  absl::StatusOr<IngestStore*> Try();

  /// The store's answer was no answer: drop it. The pause before the next one grows until Worked.
  void Lost(const absl::Status& why);
  void Worked() { failure_count_ = 0; }
  /// What to tell an agent of the store's answer: Unavailable when it has no room, for then the
  /// agent keeps its data and comes again; else the answer itself. Observers hear of the former.
  absl::Status Explain(const absl::Status& answer);

 private:
  void Pause();

  IngestStoreFactory& factory_;
  CommitObserver& observer_;
  const Backoff backoff_;
  const std::stop_token give_up_;
  std::unique_ptr<IngestStore> store_;
  int failure_count_ = 0;  ///< In a row.
  bool was_connected_ = false;
};

}  // namespace regressd::storage
