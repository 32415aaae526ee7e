#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "storage/commit_queue.h"
#include "storage/committer.h"
#include "storage/ingest_stream.h"
#include "storage/run_ender.h"
#include "storage/store_link.h"

namespace regressd::storage {

/// The committers of a server: threads that store what streams give them. Thread-safe.
class CommitterPool {
 public:
  struct Options {
    int committer_count = 2;       ///< Two beat one on two cores and more; one is enough on one.
    CommitQueue::Limits limits{};  ///< max_bytes is for all committers together.
    StoreLink::Backoff backoff{};
  };

  /// Starts the threads; they connect when there is something to do. Factory and observer must
  /// outlive the pool.
  CommitterPool(IngestStoreFactory& factory, CommitObserver& observer, const Options& options);
  /// Drains without waiting.
  ~CommitterPool();
  CommitterPool(const CommitterPool&) = delete;
  CommitterPool& operator=(const CommitterPool&) = delete;

  /// A way into the store for a stream of the run.
  std::shared_ptr<IngestStream> NewStream(std::int64_t run_id, std::weak_ptr<StreamSink> sink);

  /// Takes nothing more, stores what is queued, and stops the threads; after `timeout` whatever is
  /// left fails with Unavailable (a statement that is under way still has the store's own
  /// timeouts). Call it once no stream is fed any more. Idempotent.
  void Drain(std::chrono::milliseconds timeout);

 private:
  struct Lane {
    Lane(const Options& options, RunEnder& ender, IngestStoreFactory& factory,
         CommitObserver& observer, std::stop_token give_up);
    CommitQueue queue;
    Committer committer;
    std::thread thread;
  };

  std::stop_source give_up_;
  RunEnder ender_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::thread ending_;
  std::once_flag drained_;
};

}  // namespace regressd::storage
