#pragma once

#include <string>

#include "services/report/render_mail.h"

namespace regressd::report {

/// The text of the mail, without headers. `message_id` is the mail's own, for the tag that points
/// to it.
std::string MailBody(const model::Regression& regression, const model::ComparisonBlock& block,
                     const MailOptions& options, const std::string& message_id);

/// "36 threads 2 sockets Intel Xeon with 63G memory": as much of it as is known; may be empty.
std::string MachineLine(const model::MachineFacts& facts);

}  // namespace regressd::report
