#pragma once

#include <stop_token>
#include <vector>

#include "storage/batch_group.h"
#include "storage/commit_queue.h"
#include "storage/run_ender.h"
#include "storage/store_link.h"

namespace regressd::storage {

/// One committer thread: takes what its queue holds as one group, stores its batches in one
/// transaction, and tells their streams after the commit and never before. While one group is
/// flushed the next gathers by itself, so there is no timer.
///
/// A run belongs to one committer: with two, its batches could be stored out of order, and a crash
/// leave a hole below an acknowledged number.
///
/// * A cursor that is not as expected: reads the cursors, fails streams that were fenced, goes on.
/// * A lost connection, also during a commit: connects again, asks the cursors what is there, sends
///   the rest again. Streams that wait to be opened meanwhile get Unavailable.
/// * A store without room: the streams of the group get Unavailable, and their agents come again.
/// * Data that the store refuses: halves the group until the batch is found; only its stream fails.
class Committer {
 public:
  Committer(CommitQueue& queue, RunEnder& ender, IngestStoreFactory& factory,
            CommitObserver& observer, const StoreLink::Backoff& backoff, std::stop_token give_up)
      : queue_(queue),
        ender_(ender),
        observer_(observer),
        link_(factory, observer, backoff, std::move(give_up)) {}

  /// The thread's work; returns when the queue is closed and empty.
  void Run();

 private:
  void Process();
  void AddStacks(IngestStream& stream, const StacksItem& stacks);
  void CommitAll(BatchGroup group);
  /// Brings the group in line with the store. False when the store could not be asked.
  bool Reconcile(IngestStore& store, BatchGroup* group, bool* changed);
  void Control(CommitItem& item);
  void Open(IngestStream& stream, const OpenItem& open);
  void Declare(IngestStream& stream, const DeclareItem& declare);
  /// Waits for the store; meanwhile sends away whoever wants to open a run.
  IngestStore* AwaitStore();

  CommitQueue& queue_;
  RunEnder& ender_;
  CommitObserver& observer_;
  StoreLink link_;
  std::vector<CommitItem> items_;  // Being processed.
};

}  // namespace regressd::storage
