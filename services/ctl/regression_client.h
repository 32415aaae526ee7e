#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ctl/connection.h"
#include "services/ctl/skipped.h"
#include "services/model/regression.h"
#include "services/report/render_mail.h"

namespace regressd::ctl {

struct RegressionHistory {
  model::Regression regression;
  std::vector<model::RegressionEvent> events;  ///< Oldest first.
};

/// Which regressions; empty fields do not filter.
struct RegressionQuery {
  std::vector<model::RegressionState> states;
  model::Axes axes;
  std::string head_commit;
};

/// Reads, curates and follows regressions. What of a list cannot be read goes to `skipped`.
/// Errors: the server's; Internal for the one thing asked for that cannot be read. Thread-safe.
class RegressionClient {
 public:
  RegressionClient(const Connection& connection, Skipped skipped);
  ~RegressionClient();

  /// At most `limit`, those that cannot be read among them, newest first, each with its headline
  /// metric alone.
  absl::StatusOr<std::vector<model::Regression>> List(const RegressionQuery& query,
                                                      std::int32_t limit) const;
  absl::StatusOr<RegressionHistory> Get(std::int64_t id) const;
  absl::StatusOr<model::Regression> SetState(std::int64_t id, model::RegressionState state,
                                             const std::string& comment) const;
  absl::StatusOr<report::Mail> Report(std::int64_t id) const;

  /// Gives every change after event `after_event_id` (unset: from now on) to `take`, which returns
  /// false to stop. Calls `standing` once no later change can be missed. Returns OK when `take` or
  /// CancelWatch stopped it.
  absl::Status Watch(
      std::optional<std::int64_t> after_event_id, const std::function<void()>& standing,
      const std::function<bool(const model::RegressionEvent&, const model::Regression&)>& take);
  /// Ends a Watch of another thread, and each later one.
  void CancelWatch();

 private:
  struct WatchCall;

  const Connection& connection_;
  const Skipped skipped_;
  const std::unique_ptr<WatchCall> watch_;
};

}  // namespace regressd::ctl
