#include "services/ingest/push_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "services/common/convert.h"
#include "services/common/error_details.h"
#include "services/common/field_checks.h"
#include "services/ingest/from_proto.h"
#include "services/model/metric.h"

namespace regressd::ingest {
namespace {

using model::SourceContent;

constexpr std::int32_t kProtocolVersion = 1;
constexpr std::int32_t kWindowBatchCount = 256;
constexpr std::int32_t kMaxSourceId = 1000;
// Of all sources of a stream: what a server keeps in memory for it.
constexpr std::size_t kMaxStreamMetrics = 65'536;

absl::Status Stopping() {
  return absl::UnavailableError("the server is about to stop; say Hello again with back-off");
}

v1::PushResponse ResumeOf(const storage::OpenedRun& run, bool has_ended) {
  v1::PushResponse response;
  v1::Resume& resume = *response.mutable_resume();
  resume.set_epoch(run.epoch);
  resume.set_window_batch_count(kWindowBatchCount);
  resume.set_already_ended(has_ended);
  for (const storage::SourceCursor& cursor : run.cursors) {
    v1::Ack& ack = *resume.add_cursors();
    ack.set_source_id(cursor.source_id);
    ack.set_last_seq(cursor.last_seq);
  }
  return response;
}

v1::PushResponse EndedOf(model::RunState state) {
  v1::PushResponse response;
  response.mutable_ended()->set_state(common::ToProto(state));
  return response;
}

}  // namespace

PushSession::PushSession(PushTransport& transport, storage::CommitterPool& committers,
                         IngestMetrics& metrics, std::string created_by)
    : transport_(transport),
      committers_(committers),
      metrics_(metrics),
      created_by_(std::move(created_by)) {}

void PushSession::Start() {
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::kHello) transport_.Read();
}

void PushSession::Drain() {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kEnding) Close(Stopping());
}

// What comes in -----------------------------------------------------------------------------------

void PushSession::OnMessage(const v1::PushRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ >= Stage::kClosing) return;  // Not taken, so not acknowledged: it comes again.
  }
  // The answer to Hello or Source goes on reading by itself, perhaps before Dispatch returns: from
  // then on `request` may hold the next message already.
  const bool is_answered = request.has_hello() || request.has_source();
  const absl::Status taken = Dispatch(request);
  const std::lock_guard lock(mutex_);
  if (!taken.ok()) return Refuse(taken);
  if (!is_answered) Continue();
}

void PushSession::OnUnreadable(const absl::Status& why) {
  const std::lock_guard lock(mutex_);
  if (stage_ < Stage::kClosing) Refuse(why);
}

absl::Status PushSession::Dispatch(const v1::PushRequest& request) {
  Stage stage;
  {
    const std::lock_guard lock(mutex_);
    stage = stage_;
  }
  if (stage == Stage::kHello) return TakeHello(request);
  switch (request.message_case()) {
    case v1::PushRequest::kHello:
      return absl::FailedPreconditionError("a second hello on one stream; open another stream");
    case v1::PushRequest::kEnd:
      return TakeEnd(request.end());
    case v1::PushRequest::MESSAGE_NOT_SET:
      return common::InvalidField("message", "is not set; this server may be older than its agent");
    default:
      break;
  }
  if (stage == Stage::kEnded) {
    return absl::FailedPreconditionError(
        fmt::format("run {} has ended, as already_ended said; start a new run", run_uuid_));
  }
  switch (request.message_case()) {
    case v1::PushRequest::kSource:
      return TakeSource(request.source());
    case v1::PushRequest::kBatch:
      return TakeBatch(request.batch());
    case v1::PushRequest::kStackDictionary:
      return TakeStackDictionary(request.stack_dictionary());
    case v1::PushRequest::kStackBatch:
      return TakeStackBatch(request.stack_batch());
    case v1::PushRequest::kObservationBatch:
      return TakeObservationBatch(request.observation_batch());
    case v1::PushRequest::kGap:
      return TakeGap(request.gap());
    default:
      return common::InvalidField("message", "is of a kind that this server does not know");
  }
}

absl::Status PushSession::TakeHello(const v1::PushRequest& request) {
  if (!request.has_hello()) {
    return absl::FailedPreconditionError("the first message of a stream must be hello; send it");
  }
  const v1::Hello& hello = request.hello();
  if (hello.protocol_version() != kProtocolVersion) {
    return common::InvalidField(
        "hello.protocol_version",
        fmt::format("is {}; this server speaks {}", hello.protocol_version(), kProtocolVersion));
  }
  auto spec = common::FromProto(hello.run(), "hello.run");
  if (!spec.ok()) return spec.status();
  run_id_ = spec->key.run_id;
  run_uuid_ = spec->key.uuid;
  stream_ = committers_.NewStream(run_id_, weak_from_this());
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::kHello) stage_ = Stage::kWaiting;
  return stream_->Open(*std::move(spec), created_by_) ? absl::OkStatus() : Stopping();
}

absl::Status PushSession::TakeSource(const v1::Source& source) {
  auto declared = common::FromProto(source, "source");
  if (!declared.ok()) return declared.status();
  common::FieldChecks checks("source");
  checks.Range("source_id", source.source_id(), 1, kMaxSourceId);
  if (declared->metrics.empty()) checks.Fail("metrics", "is empty; declare at least one");
  for (int i = 0; i < source.metrics_size(); ++i) {
    const model::Metric& metric = declared->metrics[static_cast<std::size_t>(i)];
    if (metric.reduction == model::Reduction::kDelta &&
        metric.kind != model::MetricKind::kCounter) {
      checks.Fail(
          common::IndexPath("metrics", i) + ".reduction",
          fmt::format("of {} is DELTA, which only a COUNTER has; use MEAN or SUM", metric.name));
    }
  }
  if (!checks.ok()) return checks.status();
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kOpen) return absl::OkStatus();  // Closed meanwhile.
  const std::size_t metric_count =
      progress_.CountMetricsBeside(source.source_id()) + declared->metrics.size();
  if (metric_count > kMaxStreamMetrics) {
    return common::InvalidField(
        "source.metrics", fmt::format("makes {} metrics in all sources of this stream; at most {} "
                                      "are taken, leave some out",
                                      metric_count, kMaxStreamMetrics));
  }
  stage_ = Stage::kWaiting;
  declaring_ = *declared;
  return stream_->Declare(run_id_, epoch_, *std::move(declared)) ? absl::OkStatus() : Stopping();
}

absl::StatusOr<const model::Source*> PushSession::SourceFor(
    std::string_view message, std::int32_t source_id,
    std::initializer_list<SourceContent> contents) {
  const std::lock_guard lock(mutex_);
  const model::Source* source = progress_.Find(source_id);
  const std::string field = common::JoinPath(message, "source_id");
  if (source == nullptr) {
    return common::InvalidField(
        field,
        fmt::format("is {}, which this stream did not declare; send its Source first", source_id));
  }
  if (std::find(contents.begin(), contents.end(), source->content) == contents.end()) {
    return common::InvalidField(
        field, fmt::format("is {} ({}), which holds {}; a {} does not belong there", source_id,
                           source->name, model::ToString(source->content), message));
  }
  return source;
}

absl::StatusOr<bool> PushSession::IsNext(std::int32_t source_id,
                                         const absl::StatusOr<SeqRange>& range) {
  if (!range.ok()) return range.status();
  const std::lock_guard lock(mutex_);
  const auto place = progress_.Locate(source_id, *range);
  if (!place.ok()) return place.status();
  if (*place == SourceProgress::Place::kTaken) {
    metrics_.DuplicateSeen();
    Advance();
  }
  return *place == SourceProgress::Place::kNext;
}

absl::Status PushSession::Commit(storage::EncodedBatch batch, std::int64_t value_count) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kOpen) return absl::OkStatus();  // Closed meanwhile: not taken.
  progress_.Take(batch.source_id, batch.last_seq, std::chrono::steady_clock::now());
  metrics_.BatchTaken(value_count);
  if (stream_->Commit(std::move(batch))) return absl::OkStatus();
  is_lost_ = true;
  return Stopping();
}

absl::Status PushSession::TakeBatch(const v1::Batch& batch) {
  const auto source = SourceFor("batch", batch.source_id(),
                                {SourceContent::kIntSamples, SourceContent::kDoubleSamples});
  if (!source.ok()) return source.status();
  const auto is_next =
      IsNext(batch.source_id(), CheckSeqRange("batch.first_seq", batch.first_seq(),
                                              "batch.sample_count", batch.sample_count()));
  if (!is_next.ok() || !*is_next) return is_next.status();
  const std::int64_t value_count = std::int64_t{batch.sample_count()} * batch.metric_count();
  if (!batch.block().empty()) {
    const auto block = BlockFromProto(batch, **source);
    if (!block.ok()) return block.status();
    return Commit(storage::EncodeBlock(run_id_, batch.source_id(), epoch_, *block), value_count);
  }
  const auto samples = FromProto(batch, **source);
  if (!samples.ok()) return samples.status();
  return Commit(storage::EncodeSamples(run_id_, batch.source_id(), epoch_, *samples), value_count);
}

absl::Status PushSession::TakeStackDictionary(const v1::StackDictionary& stacks) {
  auto folded = FromProto(stacks, dictionary_.size());
  if (!folded.ok()) return folded.status();
  for (const std::string& stack : *folded) dictionary_.push_back(model::Hash63(stack));
  if (folded->empty()) return absl::OkStatus();
  return stream_->AddStacks(run_id_, *std::move(folded)) ? absl::OkStatus() : Stopping();
}

absl::Status PushSession::TakeStackBatch(const v1::StackBatch& batch) {
  const auto source = SourceFor("stack_batch", batch.source_id(), {SourceContent::kStacks});
  if (!source.ok()) return source.status();
  const auto is_next =
      IsNext(batch.source_id(), CheckSeqRange("stack_batch.seq", batch.seq(), "", 1));
  if (!is_next.ok() || !*is_next) return is_next.status();
  const auto counts = FromProto(batch, dictionary_);
  if (!counts.ok()) return counts.status();
  return Commit(storage::EncodeStacks(run_id_, batch.source_id(), epoch_, *counts),
                batch.count_size());
}

absl::Status PushSession::TakeObservationBatch(const v1::ObservationBatch& batch) {
  const auto source =
      SourceFor("observation_batch", batch.source_id(), {SourceContent::kObservations});
  if (!source.ok()) return source.status();
  const auto is_next =
      IsNext(batch.source_id(), CheckSeqRange("observation_batch.seq", batch.seq(), "", 1));
  if (!is_next.ok() || !*is_next) return is_next.status();
  const auto observations = FromProto(batch, **source);
  if (!observations.ok()) return observations.status();
  return Commit(storage::EncodeObservations(run_id_, batch.source_id(), epoch_, *observations),
                batch.values_size());
}

absl::Status PushSession::TakeGap(const v1::Gap& gap) {
  const auto source = SourceFor("gap", gap.source_id(),
                                {SourceContent::kIntSamples, SourceContent::kDoubleSamples,
                                 SourceContent::kStacks, SourceContent::kObservations});
  if (!source.ok()) return source.status();
  const auto is_next = IsNext(
      gap.source_id(), CheckSeqRange("gap.first_seq", gap.first_seq(), "gap.count", gap.count()));
  if (!is_next.ok() || !*is_next) return is_next.status();
  if (auto status = CheckReason(gap); !status.ok()) return status;
  return Commit(storage::EncodeGap(run_id_, gap.source_id(), epoch_, gap.first_seq(), gap.count(),
                                   gap.reason()),
                0);
}

absl::Status PushSession::TakeEnd(const v1::End& end) {
  auto outcome = common::FromProto(end.outcome(), "end.outcome");
  if (!outcome.ok()) return outcome.status();
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::kEnded) {  // The answer to the first End was lost.
    ended_ = EndedOf(ended_state_);
    Close(absl::OkStatus());
    return absl::OkStatus();
  }
  if (stage_ != Stage::kOpen) return absl::OkStatus();  // Closed meanwhile.
  stage_ = Stage::kEnding;
  return stream_->End(run_id_, epoch_, *std::move(outcome)) ? absl::OkStatus() : Stopping();
}

void PushSession::OnReadsDone() {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kEnding) Close(absl::OkStatus());
}

void PushSession::OnCancelled() {
  const std::lock_guard lock(mutex_);
  Finish(absl::CancelledError("the agent went away"));
}

// What the committers say
// ---------------------------------------------------------------------------

void PushSession::OnResumed(const storage::OpenedRun& run) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kWaiting) return;
  const bool has_ended =
      run.state == model::RunState::kComplete || run.state == model::RunState::kFailed;
  epoch_ = run.epoch;
  ended_state_ = run.state;
  resume_ = ResumeOf(run, has_ended);
  stage_ = has_ended ? Stage::kEnded : Stage::kOpen;
  Advance();
  Continue();
}

void PushSession::OnDeclared(std::int32_t /*source_id*/, std::int64_t last_seq) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kWaiting) return;
  progress_.Declare(*declaring_, last_seq);
  declaring_.reset();
  stage_ = Stage::kOpen;
  Continue();
}

void PushSession::OnStored(std::int32_t source_id, std::int64_t last_seq) {
  const std::lock_guard lock(mutex_);
  progress_.Store(source_id, last_seq);
  Advance();
}

void PushSession::OnEnded(model::RunState state) {
  const std::lock_guard lock(mutex_);
  ended_ = EndedOf(state);
  Close(absl::OkStatus());
}

void PushSession::OnFailed(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  metrics_.Rejected(status);
  is_lost_ = true;
  if (stage_ < Stage::kClosing || close_status_.ok()) {
    stage_ = std::max(stage_, Stage::kClosing);
    close_status_ = status;
  }
  Advance();
}

void PushSession::OnRoom() {
  const std::lock_guard lock(mutex_);
  if (stage_ < Stage::kClosing) transport_.Read();
}

// What goes out
// -------------------------------------------------------------------------------------

void PushSession::OnWritten(bool ok) {
  const std::lock_guard lock(mutex_);
  is_writing_ = false;
  if (!ok) return Finish(absl::UnavailableError("the agent cannot be reached"));
  if (written_ack_) {
    const auto now = std::chrono::steady_clock::now();
    progress_.ForEachCovered(*written_ack_, [&](SourceProgress::Instant received) {
      metrics_.Acknowledged(now - received);
    });
    written_ack_.reset();
  }
  Advance();
}

void PushSession::Continue() {
  if (stage_ != Stage::kOpen && stage_ != Stage::kEnded) return;
  if (!stream_->ParkIfFull()) transport_.Read();
}

void PushSession::Refuse(const absl::Status& why) {
  metrics_.Rejected(why);
  Close(why);
}

void PushSession::Close(const absl::Status& status) {
  if (stage_ >= Stage::kClosing) return;
  stage_ = Stage::kClosing;
  close_status_ = status;
  Advance();
}

bool PushSession::NextResponse() {
  if (resume_) {
    writing_ = *std::exchange(resume_, std::nullopt);
    return true;
  }
  if (progress_.AckDue()) {
    written_ack_ = progress_.NextAck();
    writing_.mutable_ack()->set_source_id(written_ack_->source_id);
    writing_.mutable_ack()->set_last_seq(written_ack_->last_seq);
    return true;
  }
  if (ended_) {
    writing_ = *std::exchange(ended_, std::nullopt);
    return true;
  }
  return false;
}

void PushSession::Advance() {
  if (stage_ == Stage::kFinished || is_writing_) return;
  if (NextResponse()) {
    is_writing_ = true;
    transport_.Write(writing_);
  } else if (stage_ == Stage::kClosing && (is_lost_ || progress_.AllStored())) {
    Finish(close_status_);
  }
}

void PushSession::Finish(const absl::Status& status) {
  if (stage_ == Stage::kFinished) return;
  stage_ = Stage::kFinished;
  transport_.Finish(status);
}

}  // namespace regressd::ingest
