#pragma once

#include "absl/status/status.h"
#include "regressd/v1/ingest_service.pb.h"

namespace regressd::ingest {

/// How a session reaches its agent. The session calls one method at a time, none after Finish, and
/// holds its lock meanwhile: an implementation answers later, from another call stack.
class PushTransport {
 public:
  virtual ~PushTransport() = default;

  /// Asks for one message: PushSession::OnMessage or OnReadsDone follows. One read at a time.
  virtual void Read() = 0;
  /// Sends `response`, which stays as it is until OnWritten. One write at a time.
  virtual void Write(const v1::PushResponse& response) = 0;
  /// Ends the stream.
  virtual void Finish(const absl::Status& status) = 0;
};

}  // namespace regressd::ingest
