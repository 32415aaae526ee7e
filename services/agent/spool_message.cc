#include "services/agent/spool_message.h"

#include <fmt/format.h>

#include "services/agent/clean_text.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxReasonBytes = 4096;  // The protocol's limit.

}  // namespace

SeqRange RangeOf(const v1::PushRequest& message) {
  switch (message.message_case()) {
    case v1::PushRequest::kBatch: {
      const v1::Batch& batch = message.batch();
      return {batch.source_id(), batch.first_seq(), batch.first_seq() + batch.sample_count() - 1};
    }
    case v1::PushRequest::kStackBatch:
      return {message.stack_batch().source_id(), message.stack_batch().seq(),
              message.stack_batch().seq()};
    case v1::PushRequest::kObservationBatch:
      return {message.observation_batch().source_id(), message.observation_batch().seq(),
              message.observation_batch().seq()};
    case v1::PushRequest::kGap: {
      const v1::Gap& gap = message.gap();
      return {gap.source_id(), gap.first_seq(), gap.first_seq() + gap.count() - 1};
    }
    default:
      return {};
  }
}

absl::Status CheckSendable(const v1::PushRequest& message) {
  if (const std::size_t size = message.ByteSizeLong(); size > kMaxMessageBytes) {
    return absl::InvalidArgumentError(fmt::format(
        "a message of {} bytes is larger than the {} that are sent", size, kMaxMessageBytes));
  }
  // Samples, which are most of all there is, hold no text.
  if (message.has_batch() || message.has_stack_batch() || message.has_observation_batch()) {
    return absl::OkStatus();
  }
  v1::PushRequest parsed;
  if (parsed.ParseFromString(message.SerializeAsString())) return absl::OkStatus();
  return absl::InvalidArgumentError("a text in it is not UTF-8");
}

void LeaveWordsOut(v1::End* end) {
  v1::RunOutcome& outcome = *end->mutable_outcome();
  outcome.clear_last_output_lines();
  outcome.clear_monitor_notes();
  outcome.set_failure(CleanText(outcome.failure()));
}

v1::PushRequest MakeGap(const SeqRange& range, const std::string& reason) {
  v1::PushRequest message;
  message.mutable_gap()->set_source_id(range.source_id);
  message.mutable_gap()->set_first_seq(range.first_seq);
  message.mutable_gap()->set_count(range.last_seq - range.first_seq + 1);
  message.mutable_gap()->set_reason(CleanText(reason, kMaxReasonBytes));
  return message;
}

}  // namespace regressd::agent
