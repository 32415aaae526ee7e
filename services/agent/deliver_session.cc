#include "services/agent/deliver_session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "services/agent/clean_text.h"
#include "services/agent/command_runner.h"
#include "services/agent/run_clock.h"
#include "services/common/convert.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> SpoolFiles(const fs::path& directory) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() != ".spool") continue;
    found.emplace_back(entry.last_write_time(error), entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> files;
  for (auto& [time, path] : found) files.push_back(std::move(path));
  return files;
}

/// When the run's agent last had something to write.
model::Time LastWrite(const fs::path& file) {
  struct stat info = {};
  if (stat(file.c_str(), &info) != 0) return WallNow();
  return model::Time(std::chrono::seconds(info.st_mtim.tv_sec) +
                     std::chrono::microseconds(info.st_mtim.tv_nsec / 1000));
}

/// Its agent died before it could say how the command ended, or what it said is lost.
void EndAsFailed(model::Time end_time, Spool* spool) {
  model::RunOutcome outcome;
  outcome.end_time = end_time;
  outcome.exit_status = -1;
  outcome.failure = "the agent died before the run ended";
  if (!spool->damage().empty()) {
    outcome.failure = CleanText(fmt::format(
        "the run's end is not known: {}, or the agent died before it", spool->damage()));
  }
  v1::End end;
  common::ToProto(outcome, end.mutable_outcome());
  spool->End(end);
}

}  // namespace

int DeliverLeftovers(const DeliveryOptions& options, TerminationSignal& termination) {
  const std::vector<fs::path> files = SpoolFiles(options.spool.directory);
  if (files.empty()) {
    spdlog::info("nothing waits in {}", options.spool.directory.string());
    return kExitOk;
  }
  int exit_code = kExitOk;
  for (const fs::path& file : files) {
    const model::Time last_write = LastWrite(file);  // Recover may write.
    absl::StatusOr<std::unique_ptr<Spool>> spool = Spool::Recover(file, options.spool);
    if (absl::IsFailedPrecondition(spool.status())) {
      spdlog::info("{}; it is left to that one", std::string(spool.status().message()));
      continue;
    }
    if (absl::IsNotFound(spool.status())) {
      spdlog::info("{}: another regress-agent has delivered it meanwhile", file.string());
      continue;
    }
    if (!spool.ok()) {
      spdlog::error("{}", std::string(spool.status().message()));
      if (exit_code == kExitOk) exit_code = kExitRefused;
      continue;
    }
    if (!(*spool)->damage().empty()) spdlog::warn("{}", (*spool)->damage());
    if (!(*spool)->has_end()) {
      // The lock is free, so its agent is dead; what its command left running is nobody's any more.
      KillMarked(RunMarker((*spool)->hello().run().run_uuid()));
      EndAsFailed(last_write, spool->get());
    }
    const Sender sender(options.sender, **spool);
    const DeliveryReport report = Deliver(options, sender, **spool, termination);
    if (report.delivery == Delivery::kDelivered) {
      spdlog::info("run {}: delivered", (*spool)->hello().run().run_uuid());
    }
    if (exit_code == kExitOk) exit_code = report.exit_code();
    if (termination.last() != 0) break;
  }
  return exit_code;
}

}  // namespace regressd::agent
