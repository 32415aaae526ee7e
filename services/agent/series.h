#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "services/agent/delivery.h"
#include "services/agent/job/series_plan.h"
#include "services/agent/job/series_state.h"
#include "services/agent/run_session.h"
#include "services/agent/setup/machine.h"
#include "services/agent/termination_signal.h"

namespace regressd::agent {

/// What a series runs with.
struct SeriesContext {
  model::MachineFacts facts;  ///< Of this machine, now; its boot id tells one boot from the next.
  DeliveryOptions delivery;
  bool stdout_is_ours = false;                        ///< The commands' stdout goes to stderr.
  std::function<void(const RunReport&)> on_run = {};  ///< After each run.
};

/// Why a series stands.
enum class SeriesEnd {
  kDone,         ///< Every step is over.
  kOtherKernel,  ///< The next step wants a kernel that does not run.
  kInterrupted,  ///< By a signal.
};

struct SeriesReport {
  SeriesEnd end = SeriesEnd::kDone;
  int exit_code = 0;  ///< The first of a run's that is not 0; kExitOtherKernel; 128 + signal.
};

/// Runs the steps of a plan that are not over, one after the other, noting each in `state` when it
/// is. A run that a signal interrupted is not over: the next call does it again.
///
/// When the next step wants another kernel, it stops: after the plan's switch_kernel command, which
/// finds the kernel in REGRESS_KERNEL, if there is one. It is not asked again for a kernel that was
/// asked for and did not come up.
/// Errors: as ExecuteRun, CompleteJob and PlanOf; FailedPrecondition when a kernel did not come up;
/// Aborted when a warm-up or switch_kernel failed. Done steps stay done.
absl::StatusOr<SeriesReport> RunSeries(const SeriesPlan& plan, const SeriesContext& context,
                                       SeriesState* state, Machine& machine,
                                       TerminationSignal& termination);

}  // namespace regressd::agent
