#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "storage/ingest_stream.h"

namespace regressd::ingest {

/// What ingest counts of itself. Thread-safe; the registry must outlive it.
class IngestMetrics : public storage::CommitObserver {
 public:
  explicit IngestMetrics(prometheus::Registry& registry);

  void BatchTaken(std::int64_t value_count);
  void DuplicateSeen() { duplicates_.Increment(); }
  void Rejected(const absl::Status& why);
  /// From the receipt of a batch to the acknowledgement that is written.
  void Acknowledged(std::chrono::nanoseconds took);
  void StreamOpened() { streams_.Increment(); }
  void StreamClosed() { streams_.Decrement(); }

  void OnCommit(std::chrono::nanoseconds took, std::size_t batch_count) override;
  void OnDatabaseUp(bool up) override { db_up_.Set(up ? 1 : 0); }
  void OnReconnect() override { reconnects_.Increment(); }
  void OnQueueBytes(std::ptrdiff_t change) override {
    queue_bytes_.Increment(static_cast<double>(change));
  }
  void OnParkedStreams(std::ptrdiff_t change) override {
    parked_streams_.Increment(static_cast<double>(change));
  }

 private:
  prometheus::Counter& batches_;
  prometheus::Counter& values_;
  prometheus::Counter& duplicates_;
  prometheus::Family<prometheus::Counter>& rejected_;
  prometheus::Histogram& commit_seconds_;
  prometheus::Histogram& group_batches_;
  prometheus::Histogram& ack_seconds_;
  prometheus::Gauge& queue_bytes_;
  prometheus::Gauge& streams_;
  prometheus::Gauge& db_up_;
  prometheus::Counter& reconnects_;
  prometheus::Gauge& parked_streams_;
};

}  // namespace regressd::ingest
