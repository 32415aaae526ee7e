#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "storage/ingest_store.h"
#include "storage/ingest_stream.h"

namespace regressd::storage {

/// Batches on their way into the store, in order, each with the stream that it came from. One
/// thread.
class BatchGroup {
 public:
  void Add(std::shared_ptr<IngestStream> stream, EncodedBatch batch);

  bool empty() const { return begin_ == batches_.size(); }
  std::size_t size() const { return batches_.size() - begin_; }
  std::span<const EncodedBatch> First(std::size_t count) const;
  std::vector<std::int64_t> RunIds() const;

  /// The first `count` are stored: tells their streams and takes them out.
  void Acknowledge(std::size_t count);
  /// Fails the stream of the first batch; takes out all of its batches.
  void RefuseFirst(const absl::Status& status);
  /// Fails the streams of all batches and takes them out.
  void FailAll(const absl::Status& status);

  /// Sorts out by what the store has: acknowledges what is stored, fails streams that were fenced
  /// or do not fit. Returns true when anything changed.
  bool Reconcile(std::span<const IngestStore::CursorState> cursors);

 private:
  void DropFailed();

  std::vector<EncodedBatch> batches_;  ///< From begin_ on.
  std::vector<std::shared_ptr<IngestStream>> streams_;
  std::size_t begin_ = 0;
};

}  // namespace regressd::storage
