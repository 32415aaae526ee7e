#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "services/ingest/from_proto.h"
#include "services/model/run.h"

namespace regressd::ingest {

/// How far each source of one stream has come, and which acknowledgements are due. One thread.
class SourceProgress {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Declared for the first time, or again with more metrics.
  void Declare(const model::Source& source, std::int64_t last_seq);
  /// Null when it is not declared on this stream.
  const model::Source* Find(std::int32_t source_id) const;

  /// Metrics of all sources but this one.
  std::size_t CountMetricsBeside(std::int32_t source_id) const;

  enum class Place { kNext, kTaken };
  /// Where a message stands: next in order, or taken before; the latter makes an acknowledgement
  /// due again once it is stored.
  /// Errors: InvalidArgument when it straddles what is taken; OutOfRange when numbers are skipped.
  absl::StatusOr<Place> Locate(std::int32_t source_id, SeqRange range);
  void Take(std::int32_t source_id, std::int64_t last_seq, Instant received);

  void Store(std::int32_t source_id, std::int64_t last_seq);
  bool AllStored() const;

  bool AckDue() const { return !due_.empty(); }
  struct Ack {
    std::int32_t source_id = 0;
    std::int64_t last_seq = 0;
  };
  /// The next acknowledgement, no longer due.
  Ack NextAck();
  /// Calls `take(received)` for each batch that `ack` was the first to cover.
  template <typename Function>
  void ForEachCovered(const Ack& ack, Function&& take) {
    auto& waiting = sources_.at(ack.source_id).waiting;
    for (; !waiting.empty() && waiting.front().first <= ack.last_seq; waiting.pop_front()) {
      take(waiting.front().second);
    }
  }

 private:
  struct State {
    model::Source source;
    std::int64_t taken = 0;
    std::int64_t stored = 0;
    std::deque<std::pair<std::int64_t, Instant>> waiting;  // Last number and receipt of a batch.
  };

  std::map<std::int32_t, State> sources_;
  std::set<std::int32_t> due_;
};

}  // namespace regressd::ingest
