#include "storage/partitions.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <condition_variable>
#include <mutex>

#include "storage/libpq_connection.h"

namespace regressd::storage {

absl::Status PartitionMaker::MakeOnce() {
  const auto connection = LibpqConnection::Connect(
      {.conninfo = options_.conninfo, .response_timeout = options_.period});
  if (!connection.ok()) return connection.status();
  // The lock lets one server at a time look what is missing. A short lock_timeout: making a
  // partition locks the default one, behind which every commit would queue.
  const auto error = (*connection)
                         ->RunScript(fmt::format("SET LOCAL lock_timeout = 5000; "
                                                 "SET LOCAL statement_timeout = 60000; "
                                                 "SELECT pg_advisory_xact_lock(7305010124); "
                                                 "SELECT make_day_partitions('sample_row', {0}), "
                                                 "make_day_partitions('sample_block', {0})",
                                                 options_.days_ahead));
  return error ? ToStatus(*error) : absl::OkStatus();
}

void PartitionMaker::Run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopping;
  while (!stop.stop_requested()) {
    const absl::Status made = MakeOnce();
    if (!made.ok())
      spdlog::warn("cannot make the partitions of the days ahead: {}", std::string(made.message()));
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, made.ok() ? options_.period : options_.retry_period,
                      [] { return false; });
  }
}

}  // namespace regressd::storage
