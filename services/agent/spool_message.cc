#include "services/agent/spool_message.h"

namespace regressd::agent {

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

v1::PushRequest MakeGap(const SeqRange& range, const std::string& reason) {
  v1::PushRequest message;
  message.mutable_gap()->set_source_id(range.source_id);
  message.mutable_gap()->set_first_seq(range.first_seq);
  message.mutable_gap()->set_count(range.last_seq - range.first_seq + 1);
  message.mutable_gap()->set_reason(reason);
  return message;
}

}  // namespace regressd::agent
