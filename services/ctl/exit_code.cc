#include "services/ctl/exit_code.h"

#include "services/common/error_details.h"

namespace regressd::ctl {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return ExitCode::kUnreachable;
    case absl::StatusCode::kNotFound:
      return ExitCode::kNotFound;
    case absl::StatusCode::kFailedPrecondition: {
      const auto info = common::ErrorInfoOf(status);
      return info && info->reason == "NOTHING_TO_COMPARE" ? ExitCode::kNothingToCompare
                                                          : ExitCode::kInputRefused;
    }
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return ExitCode::kInputRefused;
    default:
      return ExitCode::kFailed;
  }
}

}  // namespace regressd::ctl
