#include "services/agent/delivery.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace regressd::agent {
namespace {

// Someone who pressed Ctrl-C does not wait minutes.
constexpr std::chrono::milliseconds kImpatientTimeout{5000};

}  // namespace

ExitCode DeliveryReport::exit_code() const {
  switch (delivery) {
    case Delivery::kDelivered:
      return kExitOk;
    case Delivery::kRefused:
      return kExitRefused;
    case Delivery::kUnderway:
      break;
  }
  return kExitUnreachable;
}

std::unique_ptr<Spool> MakeSpool(const SpoolOptions& options, const v1::Hello& hello) {
  absl::StatusOr<std::unique_ptr<Spool>> spool = Spool::Create(options, hello);
  if (spool.ok()) return *std::move(spool);
  spdlog::warn("{}; keeping samples in memory alone (--spool-dir names another directory)",
               std::string(spool.status().message()));
  SpoolOptions in_memory = options;
  in_memory.directory.clear();
  std::unique_ptr<Spool> memory = *Spool::Create(in_memory, hello);
  memory->NoteDiskTrouble(std::string(spool.status().message()));
  return memory;
}

DeliveryReport Deliver(const DeliveryOptions& options, const Sender& sender, Spool& spool,
                       TerminationSignal& termination) {
  std::chrono::milliseconds timeout = options.deliver_timeout;
  if (termination.last() != 0) timeout = std::min(timeout, kImpatientTimeout);
  const SenderState state = WaitForDelivery(sender, timeout, termination);
  DeliveryReport report{.delivery = state.delivery,
                        .error = std::string(state.last_error.message()),
                        .spool_path = {},
                        .stats = spool.stats()};
  const std::string& uuid = spool.hello().run().run_uuid();
  if (state.delivery == Delivery::kDelivered) {
    spool.Remove();
    return report;
  }
  report.spool_path = spool.path();
  const std::int64_t lost_count = spool.Keep();
  report.stats = spool.stats();
  std::string kept = report.spool_path.empty()
                         ? "its samples are lost: there was no room for a spool"
                         : "kept in " + report.spool_path.string();
  if (lost_count > 0) {
    kept += fmt::format(", without {} samples ({})", lost_count, spool.disk_trouble());
  }
  std::string why = report.error.empty() ? "no answer yet" : report.error;
  if (termination.last() != 0) why = fmt::format("interrupted by signal {}", termination.last());
  if (state.delivery == Delivery::kRefused) {
    spdlog::error("run {}: refused by {}: {}; {}", uuid, options.sender.server, report.error, kept);
  } else {
    spdlog::error(
        "run {}: not delivered to {} ({}); {}{}", uuid, options.sender.server, why, kept,
        report.spool_path.empty()
            ? ""
            : fmt::format("; later: regress-agent deliver --server {} --spool-dir {}",
                          options.sender.server, report.spool_path.parent_path().string()));
  }
  return report;
}

}  // namespace regressd::agent
