#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
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

/// The largest message that is sent; the server takes twice as much.
inline constexpr std::size_t kMaxMessageBytes = 4 * 1024 * 1024;

/// Whether the server's protobuf takes `message`: its size, and its texts as UTF-8.
/// Errors: InvalidArgument.
absl::Status CheckSendable(const v1::PushRequest& message);

/// Leaves of an end what a server or a disk may have no room for: its notes and last words.
void LeaveWordsOut(v1::End* end);

/// The gap that stands for these numbers.
v1::PushRequest MakeGap(const SeqRange& range, const std::string& reason);

}  // namespace regressd::agent
