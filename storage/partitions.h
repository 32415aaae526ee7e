#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace regressd::storage {

/// Makes the daily partitions of the sample tables, three days ahead, when it starts and every
/// hour. Samples of a day without one land in the default partition: late is no loss. Several
/// servers on one database may do it at the same time. One thread.
class PartitionMaker {
 public:
  struct Options {
    std::string conninfo;  ///< URL or key=value; WithDefaults is applied.
    std::chrono::milliseconds period = std::chrono::hours(1);
    std::chrono::milliseconds retry_period = std::chrono::seconds(30);  ///< After a failure.
    int days_ahead = 3;
  };

  explicit PartitionMaker(Options options) : options_(std::move(options)) {}

  /// Makes them once. Errors: Unavailable, Internal.
  absl::Status MakeOnce();

  /// Makes them now and again until `stop` is asked for; logs failures and tries again.
  void Run(std::stop_token stop);

 private:
  const Options options_;
};

}  // namespace regressd::storage
