#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/delivery.h"
#include "services/agent/job/job.h"
#include "services/agent/run_session.h"
#include "services/model/run.h"

namespace CLI {
class App;
}

namespace regressd::agent {

/// Options that `run`, `collect` and `push` share: what is tested, and how they talk.
struct RunOptions {
  Job job;                              ///< What options bind to directly.
  std::vector<std::string> parameters;  ///< "k=v".
  std::vector<std::string> axes;        ///< "k=v".
  bool quiet = false;
  bool json = false;
};

struct DeliveryFlags {
  std::string server;
  std::string spool_directory;
  std::int64_t spool_limit_mib = 64;
  double deliver_timeout_s = 300;
};

void AddTo(CLI::App& app, RunOptions* options);
void AddTo(CLI::App& app, DeliveryFlags* flags);

/// What the options say, and nothing that they do not say.
/// Errors: InvalidArgument for a pair without '=', an empty or repeated key.
absl::StatusOr<Job> MakeJob(const RunOptions& options);

DeliveryOptions MakeDelivery(const DeliveryFlags& flags);

/// Logs to stderr: everything, or with `quiet` only what went wrong.
void SetUpLog(bool quiet);

/// One line of JSON on stdout for a finished run, and its end on the log.
void PrintReport(const RunReport& report, const RunOptions& options);

/// Prints a status of bad input or a bad machine and gives the exit code for it.
int Fail(const absl::Status& status);

}  // namespace regressd::agent
