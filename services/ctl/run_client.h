#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
#include "services/ctl/skipped.h"
#include "services/model/run.h"

namespace regressd::ctl {

/// Which runs; empty fields do not filter.
struct RunQuery {
  model::Axes axes;
  std::string commit;
  std::string testbox;
  std::optional<model::RunState> state;
};

struct RunValue {
  model::Metric metric;
  double value = 0;
  std::int64_t sample_count = 0;
};

struct Sample {
  model::Time time;
  std::optional<double> value;
  std::string exact_value;  ///< The stored integer; empty for doubles and missing values.
};

struct StackCount {
  std::string event;
  std::string folded;
  std::int64_t count = 0;
};

/// Reads and curates runs. Each method is one call or, for lists, one a page. `run` is a UUID or a
/// prefix of it. Callbacks return false to stop. What of a list cannot be read goes to `skipped`.
/// Errors: the server's; Internal for the one thing asked for that cannot be read. Thread-safe.
class RunClient {
 public:
  RunClient(const Connection& connection, Skipped skipped)
      : connection_(connection), skipped_(std::move(skipped)) {}

  absl::StatusOr<model::Run> Get(const std::string& run) const;
  /// At most `limit`, those that cannot be read among them, newest first.
  absl::StatusOr<std::vector<model::Run>> List(const RunQuery& query, std::int32_t limit) const;
  absl::StatusOr<std::vector<RunValue>> ListValues(const std::string& run,
                                                   const std::string& metric_regex) const;
  absl::Status ReadSamples(
      const std::string& run, const std::vector<std::string>& metrics,
      const std::function<bool(const model::Metric&, const std::vector<Sample>&)>& take) const;
  absl::Status ReadStacks(const std::string& run,
                          const std::function<bool(StackCount)>& take) const;
  absl::Status ReadObservations(const std::string& run, const std::string& metric,
                                const std::function<bool(const std::vector<double>&)>& take) const;
  /// True when it was out before.
  absl::StatusOr<bool> Exclude(const std::string& run, const std::string& reason) const;

 private:
  const Connection& connection_;
  const Skipped skipped_;
};

}  // namespace regressd::ctl
