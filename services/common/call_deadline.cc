#include "services/common/call_deadline.h"

#include <algorithm>

namespace regressd::common {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

// gRPC's handlers are synchronous: one thread works for one call at a time.
thread_local system_clock::time_point current_deadline = system_clock::time_point::max();

}  // namespace

CallDeadline::CallDeadline(system_clock::time_point deadline) : outer_(current_deadline) {
  current_deadline = std::min(outer_, deadline);
}

CallDeadline::~CallDeadline() { current_deadline = outer_; }

milliseconds CallDeadline::TimeLeft(milliseconds limit) {
  if (current_deadline == system_clock::time_point::max()) return limit;
  const auto left =
      std::chrono::duration_cast<milliseconds>(current_deadline - system_clock::now());
  return std::clamp(left, milliseconds(1), std::max(limit, milliseconds(1)));
}

}  // namespace regressd::common
