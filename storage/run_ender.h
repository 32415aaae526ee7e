#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>

#include "storage/commit_queue.h"
#include "storage/store_link.h"

namespace regressd::storage {

/// Ends runs in a thread of its own, since reducing a long run takes longer than any other stream's
/// batches should wait. Thread-safe but for Run.
class RunEnder {
 public:
  RunEnder(IngestStoreFactory& factory, CommitObserver& observer, const StoreLink::Backoff& backoff,
           std::stop_token give_up)
      : link_(factory, observer, backoff, give_up), give_up_(std::move(give_up)) {}

  /// Ends the run; everything of it must be committed.
  void Push(std::shared_ptr<IngestStream> stream, EndItem end);
  /// Run returns when everything that was pushed is done.
  void Close();
  /// The thread's work.
  void Run();

 private:
  struct Item {
    std::shared_ptr<IngestStream> stream;
    EndItem end;
  };
  bool Take(Item* item);
  void End(Item item);

  StoreLink link_;
  const std::stop_token give_up_;
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<Item> items_;  ///< Guarded by mutex_.
  bool closed_ = false;     ///< Guarded by mutex_.
};

}  // namespace regressd::storage
