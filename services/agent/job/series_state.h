#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// One step of a series that is over.
struct DoneStep {
  std::string label;
  std::string run_uuid;
  int exit_code = 0;
  std::map<std::string, double> values = {};  ///< Its results, for A/A.
};

/// How far a series is, in a file that is whole at any instant: a death or a boot costs the step
/// that was under way, nothing else. One thread.
class SeriesState {
 public:
  /// That of a plan with this text, for this process alone: beside it lies `file`.lock. Begins anew
  /// without a file, and with `restart`.
  /// Errors: Aborted when another process has it; FailedPrecondition when the file belongs to
  /// another plan, or to this one before it was changed; DataLoss when it is none.
  static absl::StatusOr<SeriesState> Open(const std::filesystem::path& file,
                                          const std::string& plan_text, bool restart = false);

  /// The steps that are over; the next is the one behind them.
  const std::vector<DoneStep>& done() const { return done_; }
  absl::Status AddDone(DoneStep step);

  /// Whether this job was warmed up since this boot.
  bool IsWarm(std::size_t job, const std::string& boot_id) const;
  absl::Status SetWarm(std::size_t job, const std::string& boot_id);

  /// The kernel that was asked for, and during which boot; empty when none was since the last step.
  const std::string& asked_kernel() const { return asked_kernel_; }
  const std::string& asked_boot_id() const { return asked_boot_id_; }
  absl::Status SetAsked(std::string kernel, std::string boot_id);

 private:
  explicit SeriesState(std::filesystem::path file) : file_(std::move(file)) {}
  absl::Status Lock();
  absl::Status Save() const;
  absl::Status Load(const std::string& text);

  std::filesystem::path file_;
  UniqueFd lock_;
  std::string plan_id_;
  std::vector<DoneStep> done_;
  std::map<std::size_t, std::string> warm_;  ///< Boot id by job.
  std::string asked_kernel_;
  std::string asked_boot_id_;
};

}  // namespace regressd::agent
