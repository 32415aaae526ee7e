#include "services/ctl/skipped.h"

#include <fmt/format.h>

namespace regressd::ctl {

absl::Status Unreadable(const std::string& what, const absl::Status& why) {
  return absl::InternalError(fmt::format("regressd sent {}, which this regressctl cannot read: {}",
                                         what, std::string(why.message())));
}

}  // namespace regressd::ctl
