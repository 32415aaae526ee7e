#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/delivery.h"
#include "services/agent/run_session.h"
#include "services/model/run.h"

namespace CLI {
class App;
}

namespace regressd::agent {

/// Options that `run`, `collect` and `push` share: what is tested, and where it goes.
struct RunOptions {
  std::string testcase;
  std::vector<std::string> parameters;  ///< "k=v".
  std::vector<std::string> axes;        ///< "k=v".
  std::string commit;
  std::string kernel_describe;
  std::string branch;
  std::string patch_message_id;
  std::string patch_base;
  std::string patch_subject;
  std::string patch_author;
  std::string patch_number;  ///< "3/7" or "3".
  std::int32_t patch_version = 1;
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

/// "k=v" pairs to axes, `testcase` first, then the parameters.
/// Errors: InvalidArgument for a text without '=', an empty or repeated key.
absl::StatusOr<model::Axes> MakeAxes(const RunOptions& options);

/// The tested thing. Errors: InvalidArgument for contradictions.
absl::StatusOr<model::Commit> MakeCommit(const RunOptions& options);

DeliveryOptions MakeDelivery(const DeliveryFlags& flags);

/// Logs to stderr: everything, or with `quiet` only what went wrong.
void SetUpLog(bool quiet);

/// One line of JSON on stdout for a finished run, and its end on the log.
void PrintReport(const RunReport& report, const RunOptions& options);

/// Prints a status of bad input or a bad machine and gives the exit code for it.
int Fail(const absl::Status& status);

}  // namespace regressd::agent
