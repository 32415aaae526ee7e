#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "services/agent/sender.h"
#include "services/agent/spool.h"

namespace regressd::agent {

/// The program's documented exit codes.
enum ExitCode {
  kExitOk = 0,
  kExitUsage = 2,
  kExitRefused = 3,
  kExitUnreachable = 4,
  kExitOtherKernel = 5,  ///< A series goes on once another kernel runs.
  kExitSamplesLost = 6,  ///< Delivered, with gaps for samples that this machine had no room for.
};

struct DeliveryOptions {
  SpoolOptions spool;
  SenderOptions sender;
  std::chrono::milliseconds deliver_timeout{300'000};
};

/// How a run reached the server, or did not.
struct DeliveryReport {
  Delivery delivery = Delivery::kUnderway;  ///< kUnderway: not within the time.
  std::string error;                        ///< Of the refusal, or the last broken stream.
  std::filesystem::path spool_path;         ///< What was kept; empty when nothing was.
  SpoolStats stats;

  ExitCode exit_code() const;
};

/// Makes the spool of a run; when its directory cannot be used, one in memory alone, with a
/// warning.
std::unique_ptr<Spool> MakeSpool(const SpoolOptions& options, const v1::Hello& hello);

/// Waits until a spool that has its end is delivered, and removes it then. After a signal the wait
/// is short. Says on the log what became of it.
DeliveryReport Deliver(const DeliveryOptions& options, const Sender& sender, Spool& spool,
                       TerminationSignal& termination);

}  // namespace regressd::agent
