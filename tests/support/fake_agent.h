#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "services/ingest/push_session.h"

namespace regressd::test {

/// The other end of a PushSession, without gRPC: a thread of its own answers the session's writes,
/// the test's thread sends. Thread-safe.
class FakeAgent : public ingest::PushTransport {
 public:
  FakeAgent(storage::CommitterPool& committers, ingest::IngestMetrics& metrics);
  ~FakeAgent() override;

  /// Waits until the session reads and gives it the message. False when it ended the stream
  /// instead.
  bool Send(const v1::PushRequest& request);
  void SayNoMore();
  void Cancel();
  void Drain() { session_->Drain(); }

  /// From now on writes stay under way until the next call with false.
  void HoldWrites(bool hold);

  v1::Resume AwaitResume();
  /// Waits until the source is acknowledged up to `seq` or the stream ends; the last acknowledged.
  std::int64_t AwaitAck(std::int32_t source_id, std::int64_t seq);
  std::optional<v1::Ended> AwaitEnded();
  absl::Status AwaitFinish();

  /// A read is under way: the session wants a message.
  bool is_read();
  std::size_t write_count();
  std::vector<v1::PushResponse> responses();

  // PushTransport
  void Read() override;
  void Write(const v1::PushResponse& response) override;
  void Finish(const absl::Status& status) override;

 private:
  void AnswerWrites();
  void Await(const std::function<bool()>& happened);
  std::int64_t AckedLocked(std::int32_t source_id) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool hold_ = false;
  bool stop_ = false;
  std::vector<v1::PushResponse> responses_;
  v1::PushRequest request_;  // The one buffer that all messages are read into.
  std::optional<absl::Status> finish_;
  std::shared_ptr<ingest::PushSession> session_;
  std::thread answering_;
};

/// Messages as an agent sends them, for run RunSpecOf(number) and source 1 with two metrics.
v1::PushRequest HelloOf(int number);
v1::PushRequest SourceMessage(std::int32_t source_id = 1, int metric_count = 2);
v1::PushRequest BatchMessage(std::int64_t first_seq, std::int32_t sample_count = 1,
                             std::int32_t source_id = 1);
v1::PushRequest EndMessage(std::int32_t exit_status = 0);

}  // namespace regressd::test
