#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "services/agent/spool.h"
#include "services/agent/termination_signal.h"

namespace regressd::agent {

struct SenderOptions {
  std::string server;  ///< "127.0.0.1:7878", or any gRPC target: "unix:/run/regressd.sock".
  std::chrono::milliseconds min_backoff{100};
  std::chrono::milliseconds max_backoff{5000};
  std::chrono::milliseconds connect_timeout{5000};
  /// For the answers to Hello and End. A server whose database is away may take long for the
  /// second.
  std::chrono::milliseconds answer_timeout{60000};
  std::chrono::milliseconds keepalive{30000};
};

/// Where a delivery stands.
enum class Delivery {
  kUnderway,
  kDelivered,  ///< The server has stored all and ended the run.
  kRefused,    ///< The server will never take it.
};

struct SenderState {
  Delivery delivery = Delivery::kUnderway;
  /// Of the last broken stream, until the server stores something again; of the refusal.
  absl::Status last_error;
  std::int64_t stream_count = 0;  ///< Streams that got as far as Resume.
  bool connected = false;
};

/// Carries one spool to the server in a thread of its own: opens streams, opens them again with
/// back-off after a break, sends what lies above the server's cursors, until the end is stored.
/// Thread-safe.
class Sender {
 public:
  /// Starts at once. `spool` outlives the sender.
  Sender(SenderOptions options, Spool& spool);
  /// Breaks off; what was not acknowledged stays in the spool.
  ~Sender();

  SenderState state() const;
  /// Readable once the delivery is no longer underway.
  int done_fd() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;  // Keeps gRPC's headers in one file.
};

/// Waits until the sender is done, `timeout` has passed or a signal came.
SenderState WaitForDelivery(const Sender& sender, std::chrono::milliseconds timeout,
                            TerminationSignal& termination);

}  // namespace regressd::agent
