#pragma once

#include <cstdint>
#include <string>

#include "regressd/v1/ingest_service.pb.h"

namespace regressd::agent {

/// The numbers that a message takes in its source's order.
struct SeqRange {
  std::int32_t source_id = 0;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
};

/// Of a batch, stack batch, observation batch or gap; all 0 for another message.
SeqRange RangeOf(const v1::PushRequest& message);

/// The gap that stands for these numbers.
v1::PushRequest MakeGap(const SeqRange& range, const std::string& reason);

}  // namespace regressd::agent
