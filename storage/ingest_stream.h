#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "services/model/run.h"
#include "storage/ingest_store.h"

namespace regressd::storage {

class CommitQueue;

/// Hears what became of what a stream sent. Called from committers' threads, one call at a time;
/// must not block.
class StreamSink {
 public:
  virtual ~StreamSink() = default;

  virtual void OnResumed(const OpenedRun& run) = 0;
  virtual void OnDeclared(std::int32_t source_id, std::int64_t last_seq) = 0;
  /// Everything of the source up to `last_seq` is stored for good.
  virtual void OnStored(std::int32_t source_id, std::int64_t last_seq) = 0;
  virtual void OnEnded(model::RunState state) = 0;
  /// Nothing more of the stream will be stored; the last call, and only one of these.
  virtual void OnFailed(const absl::Status& status) = 0;
  /// There is room again, after ParkIfFull.
  virtual void OnRoom() = 0;
};

/// One stream's way into the store. What it is given is stored in this order and answered to the
/// sink. Each method returns false when nothing is taken any more, because the committers drain.
/// Thread-safe; the committers must outlive it.
///
/// A sink that is gone is not told; what was given before is stored all the same.
class IngestStream : public std::enable_shared_from_this<IngestStream> {
 public:
  IngestStream(CommitQueue& queue, std::weak_ptr<StreamSink> sink)
      : queue_(queue), sink_(std::move(sink)) {}

  bool Open(model::RunSpec spec, std::string created_by);
  /// Wait for OnDeclared before the first batch that needs it.
  bool Declare(std::int64_t run_id, std::int64_t epoch, model::Source source);
  /// Stored before the batches that are given later.
  bool AddStacks(std::int64_t run_id, std::vector<std::string> folded);
  bool Commit(EncodedBatch batch);
  /// The last call.
  bool End(std::int64_t run_id, std::int64_t epoch, model::RunOutcome outcome);

  /// True when the queue is full: then OnRoom follows once it is half empty. Give nothing more
  /// until.
  bool ParkIfFull();

  /// For the committers: tells the sink, unless the stream has failed before.
  template <typename... Parameters, typename... Arguments>
  void Tell(void (StreamSink::*what)(Parameters...), const Arguments&... arguments) {
    if (failed_) return;
    if (const auto sink = sink_.lock()) ((*sink).*what)(arguments...);
  }
  void Fail(const absl::Status& status);
  bool failed() const { return failed_; }
  bool abandoned() const { return sink_.expired(); }

 private:
  CommitQueue& queue_;
  const std::weak_ptr<StreamSink> sink_;
  std::atomic<bool> failed_ = false;
};

/// What happens in the committers, for metrics. Thread-safe; does nothing by default.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void OnCommit(std::chrono::nanoseconds /*took*/, std::size_t /*batch_count*/) {}
  virtual void OnDatabaseUp(bool /*up*/) {}
  /// The store is reached and has no room for what it was given.
  virtual void OnWritesRefused(const absl::Status& /*why*/) {}
  virtual void OnReconnect() {}
  virtual void OnQueueBytes(std::ptrdiff_t /*change*/) {}
  virtual void OnParkedStreams(std::ptrdiff_t /*change*/) {}
};

}  // namespace regressd::storage
