#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "storage/ingest_stream.h"

namespace regressd::storage {

struct OpenItem {
  model::RunSpec spec;
  std::string created_by;
};
struct DeclareItem {
  std::int64_t run_id = 0;
  std::int64_t epoch = 0;
  model::Source source;
};
struct StacksItem {
  std::int64_t run_id = 0;
  std::vector<std::string> folded;
};
struct EndItem {
  std::int64_t run_id = 0;
  std::int64_t epoch = 0;
  model::RunOutcome outcome;
};

struct CommitItem {
  std::shared_ptr<IngestStream> stream;
  std::variant<OpenItem, DeclareItem, StacksItem, EncodedBatch, EndItem> what;
  std::size_t size_bytes = 0;
};

/// What waits for one committer, bounded in bytes by who asks ParkIfFull. Thread-safe.
class CommitQueue {
 public:
  struct Limits {
    std::size_t max_bytes = std::size_t{64} << 20;       ///< Full from here on.
    std::size_t max_group_bytes = std::size_t{8} << 20;  ///< Taken at once, one item at least.
    std::size_t max_group_items = 4096;
  };

  CommitQueue(const Limits& limits, CommitObserver& observer)
      : limits_(limits), observer_(observer) {}

  /// False when closed.
  bool Push(CommitItem item);
  bool ParkIfFull(std::shared_ptr<IngestStream> stream);

  /// Waits for items and takes as many as a group holds. Empty once closed and drained.
  std::vector<CommitItem> Take();
  /// The group that was taken is dealt with: its bytes are free, parked streams go on.
  void Done(const std::vector<CommitItem>& group);
  /// Takes out the runs that wait to be opened.
  std::vector<CommitItem> TakeOpens();

  /// Nothing more is pushed.
  void Close();

 private:
  void Release(std::size_t bytes);

  const Limits limits_;
  CommitObserver& observer_;
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<CommitItem> items_;                       ///< Guarded by mutex_.
  std::size_t bytes_ = 0;                              ///< Waiting and taken. Guarded by mutex_.
  std::vector<std::shared_ptr<IngestStream>> parked_;  ///< Guarded by mutex_.
  bool closed_ = false;                                ///< Guarded by mutex_.
};

}  // namespace regressd::storage
