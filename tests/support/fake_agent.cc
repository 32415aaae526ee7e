#include "tests/support/fake_agent.h"

#include <stdexcept>

#include "services/common/convert.h"
#include "tests/support/ingest_builders.h"

namespace regressd::test {

FakeAgent::FakeAgent(storage::CommitterPool& committers, ingest::IngestMetrics& metrics)
    : session_(std::make_shared<ingest::PushSession>(*this, committers, metrics, "tester")),
      answering_([this] { AnswerWrites(); }) {
  session_->Start();
}

FakeAgent::~FakeAgent() {
  Cancel();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  answering_.join();
}

bool FakeAgent::Send(const v1::PushRequest& request) {
  Await([this] { return is_reading_; });
  {
    const std::lock_guard lock(mutex_);
    if (finish_) return false;
    is_reading_ = false;
    request_ = request;
  }
  session_->OnMessage(request_);
  return true;
}

void FakeAgent::SayNoMore() {
  Await([this] { return is_reading_; });
  {
    const std::lock_guard lock(mutex_);
    is_reading_ = false;
  }
  session_->OnReadsDone();
}

void FakeAgent::Cancel() { session_->OnCancelled(); }

void FakeAgent::HoldWrites(bool hold) {
  {
    const std::lock_guard lock(mutex_);
    hold_ = hold;
  }
  changed_.notify_all();
}

v1::Resume FakeAgent::AwaitResume() {
  Await([this] { return !responses_.empty(); });
  const std::lock_guard lock(mutex_);
  return responses_.empty() ? v1::Resume() : responses_.front().resume();
}

std::int64_t FakeAgent::AckedLocked(std::int32_t source_id) const {
  std::int64_t last_seq = 0;
  for (const v1::PushResponse& response : responses_) {
    if (response.has_ack() && response.ack().source_id() == source_id) {
      last_seq = response.ack().last_seq();
    }
  }
  return last_seq;
}

std::int64_t FakeAgent::AwaitAck(std::int32_t source_id, std::int64_t seq) {
  Await([&] { return AckedLocked(source_id) >= seq; });
  const std::lock_guard lock(mutex_);
  return AckedLocked(source_id);
}

std::optional<v1::Ended> FakeAgent::AwaitEnded() {
  Await([this] { return !responses_.empty() && responses_.back().has_ended(); });
  const std::lock_guard lock(mutex_);
  if (responses_.empty() || !responses_.back().has_ended()) return std::nullopt;
  return responses_.back().ended();
}

absl::Status FakeAgent::AwaitFinish() {
  Await([] { return false; });
  const std::lock_guard lock(mutex_);
  return *finish_;
}

bool FakeAgent::is_read() {
  const std::lock_guard lock(mutex_);
  return is_reading_;
}

std::size_t FakeAgent::write_count() {
  const std::lock_guard lock(mutex_);
  return responses_.size();
}

std::vector<v1::PushResponse> FakeAgent::responses() {
  const std::lock_guard lock(mutex_);
  return responses_;
}

void FakeAgent::Read() {
  {
    const std::lock_guard lock(mutex_);
    if (is_reading_ || finish_) throw std::logic_error("a second read, or one after the end");
    is_reading_ = true;
    request_.Clear();  // As a real transport fills its one buffer from now on.
  }
  changed_.notify_all();
}

void FakeAgent::Write(const v1::PushResponse& response) {
  {
    const std::lock_guard lock(mutex_);
    if (is_writing_ || finish_) throw std::logic_error("a second write, or one after the end");
    is_writing_ = true;
    responses_.push_back(response);
  }
  changed_.notify_all();
}

void FakeAgent::Finish(const absl::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (finish_) throw std::logic_error("a second end");
    finish_ = status;
  }
  changed_.notify_all();
}

void FakeAgent::AnswerWrites() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || (is_writing_ && !hold_); });
      if (stop_) return;
      is_writing_ = false;
    }
    session_->OnWritten(true);
  }
}

void FakeAgent::Await(const std::function<bool()>& happened) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finish_.has_value() || happened(); });
}

v1::PushRequest HelloOf(int number) {
  v1::PushRequest request;
  request.mutable_hello()->set_protocol_version(1);
  common::ToProto(RunSpecOf(number), request.mutable_hello()->mutable_run());
  return request;
}

v1::PushRequest SourceMessage(std::int32_t source_id, int metric_count) {
  v1::PushRequest request;
  common::ToProto(IntSource(source_id, "m", metric_count), request.mutable_source());
  return request;
}

v1::PushRequest BatchMessage(std::int64_t first_seq, std::int32_t sample_count,
                             std::int32_t source_id) {
  v1::PushRequest request;
  v1::Batch& batch = *request.mutable_batch();
  batch.set_source_id(source_id);
  batch.set_first_seq(first_seq);
  batch.set_sample_count(sample_count);
  batch.set_metric_count(2);
  // As SamplesOf: sample seq of column k is seq * 100 + k, one a second.
  for (std::int32_t i = 0; i < sample_count; ++i) {
    batch.add_time_delta_us(i == 0 ? At(first_seq).time_since_epoch().count() : 1'000'000);
    for (std::int64_t k = 0; k < 2; ++k) batch.add_int_deltas(i == 0 ? first_seq * 100 + k : 100);
  }
  return request;
}

v1::PushRequest EndMessage(std::int32_t exit_status) {
  v1::PushRequest request;
  common::ToProto(OutcomeOf(exit_status), request.mutable_end()->mutable_outcome());
  return request;
}

}  // namespace regressd::test
