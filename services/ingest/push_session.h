#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "regressd/v1/ingest_service.pb.h"
#include "services/ingest/ingest_metrics.h"
#include "services/ingest/push_transport.h"
#include "services/ingest/source_progress.h"
#include "storage/committer_pool.h"

namespace regressd::ingest {

/// One stream of one agent: the protocol, without gRPC.
///
/// Reads one message at a time and, after Hello and Source, none before their answer. A message is
/// checked whole and encoded here, on the transport's thread, then queued; its acknowledgement
/// follows the commit. While the queue is full nothing is read, so the agent's own flow control
/// holds it back. A stream that ends with an error is first given the acknowledgements of
/// everything that was taken before: what it has not heard of is what to look at.
///
/// Thread-safe. Made by make_shared; the transport must live until Finish was called.
class PushSession : public storage::StreamSink, public std::enable_shared_from_this<PushSession> {
 public:
  PushSession(PushTransport& transport, storage::CommitterPool& committers, IngestMetrics& metrics,
              std::string created_by);

  /// Asks for the first message.
  void Start();
  /// The server is about to stop: takes nothing more, and ends the stream with Unavailable once
  /// everything that was taken is acknowledged. A run that is being ended still ends.
  void Drain();

  // From the transport. `request` is the transport's again with the next Read, which may come from
  // another thread before OnMessage returns.
  void OnMessage(const v1::PushRequest& request);
  void OnUnreadable(const absl::Status& why);  ///< What came is no message.
  void OnReadsDone();                          ///< The agent says no more.
  void OnWritten(bool ok);
  void OnCancelled();

  // From the committers.
  void OnResumed(const storage::OpenedRun& run) override;
  void OnDeclared(std::int32_t source_id, std::int64_t last_seq) override;
  void OnStored(std::int32_t source_id, std::int64_t last_seq) override;
  void OnEnded(model::RunState state) override;
  void OnFailed(const absl::Status& status) override;
  void OnRoom() override;

 private:
  enum class Stage {
    kHello,     ///< Nothing came yet.
    kWaiting,   ///< For the answer to Hello or Source.
    kOpen,      ///< Batches may come.
    kEnded,     ///< The run had ended before this stream.
    kEnding,    ///< End came.
    kClosing,   ///< Nothing more is taken; acknowledgements go out.
    kFinished,  ///< The transport was told.
  };

  // Each takes one kind of message. OK: it was taken; the next may be read unless the stage says
  // otherwise.
  absl::Status Dispatch(const v1::PushRequest& request);
  absl::Status TakeHello(const v1::PushRequest& request);
  absl::Status TakeSource(const v1::Source& source);
  absl::Status TakeBatch(const v1::Batch& batch);
  absl::Status TakeStackDictionary(const v1::StackDictionary& stacks);
  absl::Status TakeStackBatch(const v1::StackBatch& batch);
  absl::Status TakeObservationBatch(const v1::ObservationBatch& batch);
  absl::Status TakeGap(const v1::Gap& gap);
  absl::Status TakeEnd(const v1::End& end);

  /// The declared source, or why the message cannot be for it.
  absl::StatusOr<const model::Source*> SourceFor(
      std::string_view message, std::int32_t source_id,
      std::initializer_list<model::SourceContent> contents);
  /// True when the numbers are next in order; false when they were taken before.
  absl::StatusOr<bool> IsNext(std::int32_t source_id, const absl::StatusOr<SeqRange>& range);
  absl::Status Commit(storage::EncodedBatch batch, std::int64_t value_count);

  // With mutex_ held.
  void Continue();
  void Refuse(const absl::Status& why);
  void Close(const absl::Status& status);
  void Advance();
  bool NextResponse();
  void Finish(const absl::Status& status);

  PushTransport& transport_;
  storage::CommitterPool& committers_;
  IngestMetrics& metrics_;
  const std::string created_by_;

  // Of the one who reads; there is one read at a time, and none while an answer is awaited.
  std::int64_t run_id_ = 0;
  std::string run_uuid_;
  std::int64_t epoch_ = 0;
  std::vector<std::int64_t> dictionary_;
  std::shared_ptr<storage::IngestStream> stream_;

  std::mutex mutex_;
  // Guarded by mutex_.
  Stage stage_ = Stage::kHello;
  SourceProgress progress_;
  std::optional<model::Source> declaring_;
  std::optional<v1::PushResponse> resume_;  ///< To write before acknowledgements,
  std::optional<v1::PushResponse> ended_;   ///< and after them.
  v1::PushResponse writing_;                ///< On its way while is_writing_.
  bool is_writing_ = false;
  std::optional<SourceProgress::Ack> written_ack_;
  absl::Status close_status_;
  bool is_lost_ = false;  ///< What was taken and is not stored will not be.
  model::RunState ended_state_ = model::RunState::kOpen;
};

}  // namespace regressd::ingest
